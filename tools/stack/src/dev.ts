import { once } from 'node:events'
import { join, relative, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { exitWords } from './child.ts'
import { systemClock } from './clock.ts'
import { createDemoSession } from './demo-session.ts'
import { devPorts, sayMoved } from './dev-ports.ts'
import { exitCodeOf } from './exit-code.ts'
import { lockFolder } from './folder-lock.ts'
import { isWebhookUrl } from './forward.ts'
import { createLiveLines } from './live-lines.ts'
import { packageDir, repositoryDir } from './places.ts'
import { secondsOf, reportSteps } from './progress.ts'
import { renderPayerLink, renderScreen } from './screen.ts'
import { type Stack, startStack } from './stack.ts'
import { removeStackFile, stackFileOf, writeStackFile } from './stack-file.ts'
import { stopOnSignals } from './stop-on-signals.ts'

/** Shorter than the rail's default, so that a developer soon sees a payment fail first and succeed later. */
const LATE_SUCCESS_AFTER_MS = 5_000
const LAST_LINES = 20

const say = (line: string) => console.log(line)

const USAGE = `Usage: npx pnpm@12 dev [options]

Runs the whole system until Ctrl-C. tools/stack/README.md describes it.

  --webhook-url URL  sends each webhook on to this address, as the service signed it
  --data-dir FOLDER  keeps keys and data there instead of in .data
  --help             prints this`

interface Options {
  readonly dataDir: string
  readonly webhookUrl: string | undefined
}

const exitCode = await main().catch(exitCodeOf)
process.exit(exitCode)

/**
 * Runs the system until Ctrl-C. If one of its processes ends by itself, stops everything so that the fault is
 * noticed.
 */
async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      'data-dir': { type: 'string', default: join(repositoryDir, '.data') },
      'webhook-url': { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) {
    say(USAGE)
    return 0
  }
  const webhookUrl = values['webhook-url']
  if (webhookUrl !== undefined && !isWebhookUrl(webhookUrl)) {
    throw new Error('--webhook-url must be an http or https address, such as http://localhost:3000/webhooks')
  }
  const dataDir = resolve(values['data-dir'])
  const unlock = await lockFolder(dataDir)
  // Also runs if a second Ctrl-C ends this process at once. The other processes then end by themselves.
  process.once('exit', () => {
    removeStackFile(dataDir)
    unlock()
  })
  removeStackFile(dataDir)
  const stopping = stopOnSignals(say)
  try {
    return await run({ dataDir, webhookUrl }, stopping)
  } catch (error) {
    if (!stopping.aborted) throw error
    say('Stopped.')
    return 0
  }
}

async function run({ dataDir, webhookUrl }: Options, stopping: AbortSignal): Promise<number> {
  const startedMs = systemClock()
  const indented = (line: string) => say(`  ${line}`)
  say(`Starting Merchant Payments, data in ${relative(process.cwd(), dataDir) || dataDir}`)
  const live = createLiveLines(say, systemClock)
  // Shells often set an absent variable to an empty string.
  const databaseUrl = process.env['DATABASE_URL'] || undefined
  const stack = await startStack({
    dataDir,
    databaseUrl,
    ports: devPorts,
    onPortTaken: sayMoved(indented),
    mockRailsSettings: { mtn: { lateSuccessAfterMs: LATE_SUCCESS_AFTER_MS } },
    checkoutPage: true,
    staff: true,
    webhookUrl,
    onWebhook: live.webhook,
    onForwarded: live.forwarded,
    log: live.processLine,
    step: reportSteps(indented, systemClock),
    signal: stopping,
  })
  try {
    const file = stackFileOf(stack)
    await writeStackFile(dataDir, file)
    indented(`ready in ${secondsOf(systemClock() - startedMs)}`)
    say(renderScreen(file, { repositoryDir, packageDir }))
    say(renderPayerLink((await createDemoSession(file)).url ?? ''))
    if (webhookUrl !== undefined) say(`Webhooks go on to ${webhookUrl}\n`)
    const death = await Promise.race([aborted(stopping), deathOf(stack)])
    if (death !== null) console.error(death)
    return death === null ? 0 : 1
  } finally {
    removeStackFile(dataDir)
    await stack.stop()
    say('Stopped.')
  }
}

async function aborted(signal: AbortSignal): Promise<null> {
  if (!signal.aborted) await once(signal, 'abort')
  return null
}

async function deathOf({ api, worker }: Stack): Promise<string> {
  const { child, exit } = await Promise.race(
    [api, worker].map(async (child) => ({ child, exit: await child.exited })),
  )
  const lastLines = child.lines().slice(-LAST_LINES)
  return [`The ${child.name} ended: ${exitWords(exit)}. Its last lines:`, ...lastLines].join('\n  ')
}
