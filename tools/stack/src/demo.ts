import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { createMerchantPayments } from '@merchant-payments/node-sdk'
import { systemClock } from './clock.ts'
import { createInbox } from './demo-inbox.ts'
import { type DemoReport, makePayment } from './demo-payment.ts'
import { scenarios } from './demo-scenarios.ts'
import { exitCodeOf } from './exit-code.ts'
import { repositoryDir } from './places.ts'
import { reportSteps } from './progress.ts'
import { startStack } from './stack.ts'
import { findRunningStack, type StackFile, stackFileOf } from './stack-file.ts'
import { stopOnSignals } from './stop-on-signals.ts'
import { renderTimelines } from './timeline.ts'

/** Settings of the demo's own rail. Its payers decide quickly, so that nobody waits. */
const QUICK_RAIL = { mtn: { autoApproveAfterMs: 500, lateSuccessAfterMs: 3_000 } }

const say = (line: string) => console.log(line)

const exitCode = await main().catch(exitCodeOf)
process.exit(exitCode)

/** Takes payments with the SDK and returns 0 only if all of them end as expected. */
async function main(): Promise<number> {
  const { values } = parseArgs({
    options: { 'data-dir': { type: 'string', default: join(repositoryDir, '.data') } },
  })
  const stopping = stopOnSignals(say)
  const running = await findRunningStack(resolve(values['data-dir']))
  if (running === null) return onOwnSystem(stopping)
  say(`On the running system, ${running.base_url}.`)
  return demonstrate(running, stopping)
}

async function onOwnSystem(stopping: AbortSignal): Promise<number> {
  say('No system is running (`npx pnpm@12 dev` keeps one): starting one for this demo')
  const step = reportSteps((line) => say(`  ${line}`), systemClock)
  const stack = await startStack({ mockRailsSettings: QUICK_RAIL, step, signal: stopping })
  try {
    return await demonstrate(stackFileOf(stack), stopping)
  } finally {
    await stack.stop()
  }
}

async function demonstrate(file: StackFile, signal: AbortSignal): Promise<number> {
  const { webhook, mock_rails } = file
  if (webhook === null || mock_rails.push_rail === null) {
    throw new Error('the demo needs a webhook receiver and a push rail')
  }
  const deps = {
    payments: createMerchantPayments({
      baseUrl: file.base_url,
      clientId: file.client_id,
      privateKey: await readFile(file.private_key_file, 'utf8'),
    }),
    inbox: createInbox(webhook),
    rail: mock_rails.push_rail,
    clock: systemClock,
    signal,
  }
  say(`\n${scenarios.length} payments at once; the late one takes longest.\n`)
  const reports = await Promise.all(scenarios.map((scenario) => makePayment(deps, scenario)))
  say(renderTimelines(reports))
  say(`\n${verdictOf(reports)}`)
  return reports.every(({ fault }) => fault === null) ? 0 : 1
}

function verdictOf(reports: readonly DemoReport[]): string {
  const wrong = reports.filter(({ fault }) => fault !== null).length
  return wrong === 0 ? 'All outcomes are right.' : `${wrong} of ${reports.length} outcomes are WRONG.`
}
