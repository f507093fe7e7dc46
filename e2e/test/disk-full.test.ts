import { execFileSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { chmod, mkdtemp, open, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Postgres, startPostgres } from '@merchant-payments/postgres'
import { completePorts, type Stack, startStack } from '@merchant-payments/stack'
import { findViolations } from '@merchant-payments/testing/invariants'
import { findRailViolations } from '@merchant-payments/testing/rail-truth'
import { fetchToken } from '@merchant-payments/testing/token'
import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { DRAIN_TIMEOUT_MS, moveAhead, untilDrained } from './drain.ts'
import { openMerchant, type Merchant } from './merchant.ts'

/** A new cluster with the schema takes a third of it. */
const DISK_SIZE = '192m'
const CHUNK = Buffer.alloc(4 * 1024)
/** Some of the first requests still find room in pages that are half full. */
const REQUESTS_MAX = 2_000
const REFUSALS = 10
const WAL_SWITCHES_MAX = 50
const LAST_LINES = 40
const SETTINGS = { min_wal_size: '32MB', max_wal_size: '64MB' }

const run = (program: string, ...args: string[]) => execFileSync(program, args, { encoding: 'utf8' })

/** Why no disk of a bounded size can be had here, if so. */
function mountFault(): string | null {
  if (process.getuid?.() !== 0) return 'only root may mount a disk of a bounded size'
  try {
    run('unshare', '--mount', 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt')
    return null
  } catch {
    return 'this machine lets nobody mount a disk'
  }
}

async function mountDisk() {
  const folder = await mkdtemp(join(tmpdir(), 'merchant-payments-disk-'))
  // PostgreSQL's account must be able to enter it.
  await chmod(folder, 0o711)
  run('mount', '-t', 'tmpfs', '-o', `size=${DISK_SIZE},mode=0755`, 'tmpfs', folder)
  onTestFinished(async () => {
    run('umount', '--lazy', folder)
    await rm(folder, { recursive: true })
  })
  const filler = join(folder, 'filler')
  return {
    folder,
    /** Takes all of the space that is left. */
    fill: async () => {
      const file = await open(filler, 'a')
      try {
        for (;;) await file.write(CHUNK)
      } catch (error) {
        if (!(error instanceof Error && 'code' in error && error.code === 'ENOSPC')) throw error
      } finally {
        await file.close()
      }
    },
    free: () => rm(filler),
  }
}

/** A server that is started again when it has ended, as an orchestrator does. */
async function startSupervised(dataDir: string) {
  const { postgres: port } = await completePorts({})
  const lines: string[] = []
  // Each try of a client while the server recovers writes two lines, which would hide the others.
  const log = (line: string) => {
    if (!/not yet accepting|recovery state/.test(line)) lines.push(line)
  }
  const start = () => startPostgres({ dataDir, port, settings: SETTINGS, log })
  let server: Postgres = await start()
  onTestFinished(() => server.stop())
  return {
    url: server.url,
    /** For a failure that needs explaining. */
    lastLines: () => lines.slice(-LAST_LINES),
    /** The lines of its log of this severity that name the full disk. */
    complaints: (severity: 'ERROR' | 'PANIC') =>
      lines.filter((line) => line.includes(`${severity}:  `) && line.includes('No space left on device')),
    restartIfEnded: async () => {
      if (server.hasEnded()) server = await start()
    },
  }
}

/** Begins new segments of the write-ahead log until the server finds no room for one. */
async function exhaustWal(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => undefined)
  await client.connect()
  for (let switches = 0; switches < WAL_SWITCHES_MAX; switches += 1) {
    const switching = client.query(`select pg_logical_emit_message(true, 'test', 'x'), pg_switch_wal()`)
    const isOver = await switching.then(
      () => false,
      () => true,
    )
    if (isOver) return
  }
  throw new Error('the log found room all the time')
}

interface Answer {
  readonly status: number
  readonly retry: string | null
  readonly text: string
}

/** A merchant that sends each request once, with a token from before. */
async function openSender({ baseUrl, tokenUrl, clientId, privateKeyFile }: Stack) {
  const privateJwk = JSON.parse(await readFile(privateKeyFile, 'utf8')) as Record<string, string>
  const token = await fetchToken({ tokenUrl, clientId, privateJwk })
  return async (key: string): Promise<Answer> => {
    const response = await fetch(`${baseUrl}/v1/customers`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${token}`,
        'idempotency-key': key,
        'content-type': 'application/x-www-form-urlencoded',
      },
      body: `name=${'Ada '.repeat(20)}`,
    })
    const { status, headers } = response
    return { status, retry: headers.get('compat-should-retry'), text: await response.text() }
  }
}

type Send = Awaited<ReturnType<typeof openSender>>

/** Sends new requests until some were refused. Returns every answer by its key. */
async function sendUntilRefused(send: Send): Promise<Map<string, Answer>> {
  const answers = new Map<string, Answer>()
  let refused = 0
  while (answers.size < REQUESTS_MAX && refused < REFUSALS) {
    const key = randomUUID()
    const answer = await send(key)
    answers.set(key, answer)
    if (answer.status !== 200) refused += 1
  }
  return answers
}

/** Every answer that is not a success says that the service is away and that the request may be sent again. */
function expectClearRefusals(answers: ReadonlyMap<string, Answer>): void {
  const refused = [...answers.values()].filter(({ status }) => status !== 200)
  expect(refused.length).toBe(REFUSALS)
  for (const { status, retry, text } of refused) {
    expect([status, retry]).toEqual([503, 'true'])
    expect(JSON.parse(text)).toMatchObject({ error: { type: 'api_error', code: 'service_unavailable' } })
  }
}

/** Pays one after the other. What gets no answer is repeated for some seconds and then left to the worker. */
async function trade(merchant: Merchant, isOpen: () => boolean): Promise<void> {
  while (isOpen()) {
    const intent = await merchant.createIntent(1_000).catch(() => undefined)
    if (intent !== undefined) await merchant.confirm(intent, '237670000001')
  }
}

test(
  'a full disk is refused as a service that is away; once there is space the service goes on by itself, and nothing is lost',
  async ({ skip }) => {
    const fault = mountFault()
    if (fault !== null) skip(fault)
    const disk = await mountDisk()
    const server = await startSupervised(join(disk.folder, 'postgres'))
    const received: { readonly body: string }[] = []
    const stack = await startStack({
      databaseUrl: server.url,
      onWebhook: (webhook) => received.push(webhook),
      mockRailsSettings: { mtn: { autoApproveAfterMs: 100 } },
    })
    onTestFinished(() => stack.stop())
    const [merchant, send] = [await openMerchant(stack), await openSender(stack)]
    await merchant.pay(1_000, '237670000001')
    let isOpen = true
    const trading = trade(merchant, () => isOpen)

    await disk.fill()
    const withoutPages = await sendUntilRefused(send)
    expectClearRefusals(withoutPages)
    expect(server.complaints('ERROR')).not.toEqual([])
    await exhaustWal(server.url)
    const withoutLog = await sendUntilRefused(send)
    expectClearRefusals(withoutLog)
    expect(server.complaints('PANIC')).not.toEqual([])

    await disk.free()
    let last: Answer | undefined
    const isBack = async () => {
      await server.restartIfEnded()
      last = await send('first')
      return last.status
    }
    await expect
      .poll(isBack)
      .toBe(200)
      .catch((cause: unknown) => {
        const lines = [last?.text, ...server.lastLines(), ...stack.api.lines().slice(-LAST_LINES)]
        throw new Error(`the service did not come back:\n${lines.join('\n')}`, { cause })
      })
    for (const [key, before] of [...withoutPages, ...withoutLog]) {
      const again = await send(key)
      expect(again.status).toBe(200)
      if (before.status === 200) expect(again.text).toBe(before.text)
    }

    isOpen = false
    await trading
    expect(await merchant.replay()).toEqual([])
    expect(merchant.journal.filter(({ status }) => status === 500)).toEqual([])
    await moveAhead(stack, [stack.worker])
    await untilDrained(server.url)
    const { control } = stack.mockRails
    const { debits, credits } = await control.getLedger({ limit: 100_000 })
    const { journal } = merchant
    const evidence = { databaseUrl: server.url, debits, credits, journal, received, endpoints: 1 }
    expect(await findViolations(evidence)).toEqual([])
    expect(await findRailViolations(server.url, await control.listCharges({ limit: 100_000 }))).toEqual([])
  },
  DRAIN_TIMEOUT_MS,
)
