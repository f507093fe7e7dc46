import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import { createServer as createHttpServer } from 'node:http'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { createControlClient } from '@merchant-payments/mock-rails'
import { cloneDatabase } from '@merchant-payments/testing'
import { startOlderServer } from '@merchant-payments/testing/older-server'
import { testFolder } from '@merchant-payments/testing/test-folder'
import { createVerifier } from '@merchant-payments/webhook-verifier'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import type { StackFile } from '../src/stack-file.ts'
import { isClosed } from './is-gone.ts'
import { type Program, run, runScript } from './program.ts'

// A start, a late success and a stop take long on a busy machine.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })

const READY = 'Merchant Payments is ready.'
const STOPPED = { code: 0, signal: null }

interface Dev {
  readonly dataDir: string
  readonly program: Program
  readonly start: () => Promise<Program>
  readonly readStackFile: () => Promise<StackFile>
  readonly remove: () => Promise<void>
}

/** Bundles of the servers start sooner. The first system below runs the sources, as a developer does. */
const bundled = { BUNDLED_PROGRAMS: process.env['BUNDLED_PROGRAMS'] ?? '' }

/** Runs `dev` with its own folder and database until it is ready. */
async function startDev(args: readonly string[] = [], env: Record<string, string> = {}): Promise<Dev> {
  const database = await cloneDatabase()
  const dataDir = await mkdtemp(join(tmpdir(), 'merchant-payments-dev-'))
  const start = () =>
    runScript('dev', ['--data-dir', dataDir, ...args], { DATABASE_URL: database.url, ...env })
  const program = await start()
  const remove = async () => {
    program.kill('SIGKILL')
    await program.exited
    await rm(dataDir, { recursive: true, force: true })
    await database.drop()
  }
  await program.says(READY).catch(async (error: unknown) => {
    await remove()
    throw error
  })
  return {
    dataDir,
    program,
    start,
    remove,
    readStackFile: async () => JSON.parse(await readFile(join(dataDir, 'stack.json'), 'utf8')) as StackFile,
  }
}

async function startDevForThisTest(): Promise<Dev> {
  const dev = await startDev([], bundled)
  onTestFinished(dev.remove)
  return dev
}

const addressesOf = ({ base_url, mock_rails, webhook }: StackFile): string[] => [
  base_url,
  mock_rails.control_url,
  webhook?.received_url ?? '',
]

describe('while dev runs', () => {
  let dev: Dev
  let file: StackFile
  beforeAll(async () => {
    dev = await startDev()
    file = await dev.readStackFile()
  })
  afterAll(async () => {
    dev.program.kill('SIGINT')
    await dev.program.exited
    await dev.remove()
  })

  test('stack.json has all that a script needs, readable only by its owner', async () => {
    const url = expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/)
    expect(file).toEqual({
      base_url: url,
      token_url: `${file.base_url}/v1/oauth/token`,
      client_id: 'demo_shop',
      private_key_file: join(dev.dataDir, 'merchant-private-key.json'),
      publishable_key: expect.stringMatching(/^pk_test_[0-9a-f]{64}$/),
      webhook: {
        url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/webhooks\/main$/),
        secrets: [expect.stringMatching(/^whsec_[\w-]{43}$/)],
        received_url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/received$/),
      },
      checkout_base_url: url,
      dashboard_url: `${file.base_url}/dash/`,
      staff: {
        issuer: url,
        sign_in_url: `${file.base_url}/dash/v1/sign_in`,
        people: [
          { login: 'vera', name: 'Vera Viewer', role: 'viewer' },
          { login: 'omar', name: 'Omar Operator', role: 'operator' },
          { login: 'olga', name: 'Olga Operator', role: 'operator' },
          { login: 'ada', name: 'Ada Admin', role: 'admin' },
          { login: 'nils', name: 'Nils Nobody', role: null },
        ],
      },
      mock_rails: { control_url: url, push_rail: 'mtn_momo_cm', redirect_rail: 'orange_money_cm' },
      database_url: expect.stringMatching(/^postgres:/),
    })
    expect((await stat(join(dev.dataDir, 'stack.json'))).mode & 0o777).toBe(0o600)
  })

  test('staff are sent to the identity provider, whose page lets them choose a person', async () => {
    const sent = await fetch(file.staff?.sign_in_url ?? '', { redirect: 'manual' })
    expect(sent.status).toBe(303)
    const start = new URL(sent.headers.get('location') ?? '')
    expect(start.origin).toBe(file.staff?.issuer)
    const begun = await fetch(start, { redirect: 'manual' })
    const headers = {
      cookie: begun.headers
        .getSetCookie()
        .map((line) => line.split(';')[0])
        .join('; '),
    }
    const page = await fetch(new URL(begun.headers.get('location') ?? '', start), { headers })
    const html = await page.text()
    for (const { name } of file.staff?.people ?? []) expect(html).toContain(name)
    expect(html).not.toMatch(/https?:/)
  })

  test('each step of the start is shown with its time', () => {
    for (const step of ['keys', 'mock rails', 'api', 'worker']) {
      expect(dev.program.output()).toMatch(new RegExp(`^  ${step} +\\d+\\.\\d\\d s$`, 'm'))
    }
  })

  test('a second dev on the same folder is refused, and the first one continues', async () => {
    const second = await dev.start()

    expect(await second.exited).toEqual({ code: 1, signal: null })
    expect(second.output()).toBe(
      `process ${dev.program.pid} already runs the system on ${dev.dataDir}: stop it first (Ctrl-C)\n`,
    )
    expect(await dev.readStackFile()).toEqual(file)
  })

  test('the snippet on the screen pays when the handset approves, and dev prints the event', async () => {
    const snippet = /^\(cd .*?^\)$/ms.exec(dev.program.output())?.[0] ?? ''
    const pasted = await run('/bin/sh', ['-c', snippet])
    expect(await pasted.exited).toEqual(STOPPED)
    expect(pasted.output()).toContain("status: 'processing'")
    const [, id = ''] = /id: '(pi_[0-9a-f]{32})'/.exec(pasted.output()) ?? []

    const handset = createControlClient(file.mock_rails.control_url)
    const [charge] = await handset.listCharges({ msisdn: '237670000000' })
    await handset.approveCharge(charge?.reference ?? '')

    await dev.program.says(`payment_intent.succeeded  ${id}  2500 XAF`)
  })

  test('demo passes if its payments and its refund end as expected', async () => {
    const demo = await runScript('demo', ['--data-dir', dev.dataDir])

    expect(await demo.exited).toEqual(STOPPED)
    expect(demo.output()).toContain(`On the running system, ${file.base_url}.`)
    expect(demo.output().match(/^ {3}right: .*$/gm)).toEqual([
      '   right: payment_intent.succeeded',
      '   right: payment_intent.payment_failed',
      '   right: payment_intent.payment_failed, then payment_intent.succeeded',
      '   right: payment_intent.succeeded, then charge.refunded',
    ])
    expect(demo.output()).toContain('All outcomes are right.')
  })

  test('demo fails if the rail refuses every login', async () => {
    const rail = createControlClient(file.mock_rails.control_url)
    await rail.addFault({ operation: 'token', kind: 'http', status: 500, times: 100 })
    await rail.revokeTokens()
    onTestFinished(async () => {
      await rail.clearFaults()
    })

    const demo = await runScript('demo', ['--data-dir', dev.dataDir])

    expect(await demo.exited).toEqual({ code: 1, signal: null })
    expect(demo.output()).toContain('4 of 4 outcomes are WRONG.')
  })
})

describe('two devs that start at once', () => {
  let devs: readonly Dev[]
  let files: readonly StackFile[]
  beforeAll(async () => {
    devs = await Promise.all([startDev([], bundled), startDev([], bundled)])
    files = await Promise.all(devs.map(({ readStackFile }) => readStackFile()))
  })
  afterAll(() => Promise.all(devs.map(({ remove }) => remove())))

  test('both get ports of their own', () => {
    const addresses = files.flatMap(addressesOf)
    expect(new Set(addresses).size).toBe(addresses.length)
  })

  test.each([
    ['SIGINT', 0],
    ['SIGTERM', 1],
  ] as const)('%s leaves nothing of dev but its data', async (signal, n) => {
    const { dataDir, program } = devs[n] as Dev
    const addresses = addressesOf(files[n] as StackFile)
    // README.md: a script stops dev by the process id of this file.
    expect(await readFile(join(dataDir, 'dev.lock'), 'utf8')).toBe(String(program.pid))

    program.kill(signal)

    expect(await program.exited).toEqual(STOPPED)
    expect(program.output()).toMatch(/Stopped\.\n$/)
    expect(await Promise.all(addresses.map(isClosed))).toEqual([true, true, true])
    expect((await readdir(dataDir)).sort()).toEqual([
      'merchant-payments.yaml',
      'merchant-private-key.json',
      'merchant-secrets.json',
      'service-secrets.json',
      'signing-key.json',
    ])
  })
})

test('after a SIGKILL of dev its processes end, and the next dev uses the same keys until a process dies', async () => {
  const { program, start, readStackFile } = await startDevForThisTest()
  const before = await readStackFile()
  program.kill('SIGKILL')
  await program.exited
  await expect.poll(() => isClosed(before.base_url)).toBe(true)

  const next = await start()
  onTestFinished(async () => {
    next.kill('SIGINT')
    await next.exited
  })
  await next.says(READY)

  const after = await readStackFile()
  expect(after.publishable_key).toBe(before.publishable_key)
  expect(after.webhook?.secrets).toEqual(before.webhook?.secrets)

  process.kill(workerOf(next), 'SIGKILL')

  expect(await next.exited).toEqual({ code: 1, signal: null })
  expect(next.output()).toContain('The worker ended: SIGKILL. Its last lines:')
  expect(await Promise.all(addressesOf(after).map(isClosed))).toEqual([true, true, true])
})

function workerOf({ pid }: Program): number {
  const processes = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,args='], { encoding: 'utf8' })
  const [, worker] = new RegExp(`^ *(\\d+) +${pid} .*apps/worker`, 'm').exec(processes) ?? []
  return Number(worker)
}

describe('with --webhook-url, while another program has the default port', () => {
  const bodies: Promise<readonly [string, string]>[] = []
  let closeOthers = () => {}
  let isSquatted: boolean
  let url: string
  let dev: Dev
  beforeAll(async () => {
    const squatter = createServer().listen(8080, '127.0.0.1')
    isSquatted = await once(squatter, 'listening').then(
      () => true,
      () => false,
    )
    const shop = createHttpServer((request, response) => {
      bodies.push(text(request).then((body) => [body, String(request.headers['service-signature'])] as const))
      response.writeHead(204).end()
    }).listen(0, '127.0.0.1')
    closeOthers = () => {
      squatter.close()
      shop.close()
    }
    await once(shop, 'listening')
    url = `http://127.0.0.1:${(shop.address() as AddressInfo).port}/webhooks`
    dev = await startDev(['--webhook-url', url], bundled)
  })
  afterAll(async () => {
    await dev.remove()
    closeOthers()
  })

  test('dev takes another port, and prints that', async () => {
    const { port } = new URL((await dev.readStackFile()).base_url)
    // Another process had the port, and let it go before dev tried it. Nothing was in use then.
    if (!isSquatted && port === '8080') return
    expect(port).not.toBe('8080')
    // A running `dev` has other ports of the API too, and the line names the first one that was taken.
    expect(dev.program.output()).toMatch(new RegExp(`port \\d+ is taken: the API is on ${port}\\b`))
  })

  test('the merchant’s own server gets the webhook as the service signed it', async () => {
    await dev.program.says(`Webhooks go on to ${url}`)

    const demo = await runScript('demo', ['--data-dir', dev.dataDir])
    expect(await demo.exited).toEqual(STOPPED)

    const { webhook } = await dev.readStackFile()
    const verifier = createVerifier({ secrets: [...(webhook?.secrets ?? [])] })
    const events = await Promise.all(
      bodies.map(async (one) => {
        const [body, signature] = await one
        return verifier.verify(body, { 'service-signature': signature })
      }),
    )
    expect(events.map(({ type }) => type)).toContain('payment_intent.succeeded')
    await dev.program.says(`sent on to ${url}: 204`)
  })
})

test('an invalid address is refused before anything starts', async () => {
  const dev = await runScript('dev', ['--webhook-url', 'localhost:3000'])
  expect(await dev.exited).toEqual({ code: 1, signal: null })
  expect(dev.output()).toBe(
    '--webhook-url must be an http or https address, such as http://localhost:3000/webhooks\n',
  )
})

test.each([
  ['is down', () => 'postgres://127.0.0.1:1/payments', 69, 'no server of DATABASE_URL takes writes'],
  ['is too old', startOlderServer, 78, 'use a server of PostgreSQL 17 or newer'],
])('a database that %s ends dev with one line that says what to do', async (_what, address, code, words) => {
  const dataDir = await testFolder()
  const dev = await runScript('dev', ['--data-dir', dataDir], { DATABASE_URL: await address() })
  expect(await dev.exited).toEqual({ code, signal: null })
  expect(dev.output().trimEnd().split('\n').at(-1)).toContain(words)
})

test('demo without a running system starts its own, and removes it', async () => {
  const folder = await testFolder()

  const demo = await runScript('demo', ['--data-dir', join(folder, 'none')], { TMPDIR: folder })

  expect(await demo.exited).toEqual(STOPPED)
  expect(demo.output()).toContain('No system is running (`npx pnpm@12 dev` keeps one)')
  expect(demo.output()).toContain('All outcomes are right.')
  expect(await readdir(folder)).toEqual([])
})
