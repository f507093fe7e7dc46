import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { prepareDatabase } from '@merchant-payments/db'
import { startPostgres } from '@merchant-payments/postgres'
import { completePorts, type Pooler, startStack } from '@merchant-payments/stack'
import { cloneDatabase } from '@merchant-payments/testing'
import { runStatement } from '@merchant-payments/testing/client'
import { findViolations } from '@merchant-payments/testing/invariants'
import { requireProgram } from '@merchant-payments/testing/program'
import { findRailViolations } from '@merchant-payments/testing/rail-truth'
import { endWithThisProcess } from '@merchant-payments/testing/end-with-this-process'
import { testFolder } from '@merchant-payments/testing/test-folder'
import pg from 'pg'
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import { DRAIN_TIMEOUT_MS, moveAhead, untilDrained } from './drain.ts'
import { openMerchant } from './merchant.ts'

const PGBOUNCER = 'pgbouncer'
const INSTALL_MS = 120_000
const compose = fileURLToPath(new URL('../../deploy/compose/', import.meta.url))
/** Fewer than the processes ask for, so that transactions of several clients take turns on one. */
const SERVER_CONNECTIONS = 6
const BUYERS = 6
const ROUNDS = 5
const MSISDNS = ['237670000001', '237670000002', '237670000001', '237670000470']

beforeAll(() => requireProgram(PGBOUNCER), INSTALL_MS)

/** From 1.21 on it keeps the statements of its clients. */
function keepsStatements(): boolean {
  const [, major, minor] =
    /(\d+)\.(\d+)/.exec(execFileSync(PGBOUNCER, ['--version'], { encoding: 'utf8' })) ?? []
  return Number(major) * 1_000 + Number(minor) >= 1_021
}

/** PgBouncer with the file of `deploy/compose`, before another server and with few connections to it. */
async function startPgBouncer(appUrl: string): Promise<Pooler> {
  const { hostname, port, pathname, username, password } = new URL(appUrl)
  const folder = await mkdtemp(join(tmpdir(), 'merchant-payments-pooler-'))
  // PgBouncer does not run as root.
  await chmod(folder, 0o755)
  const { postgres: listenPort } = await completePorts({})
  await giveSettings(username)
  const users = join(folder, 'users')
  await writeFile(users, `"${username}" "${password}"\n`)
  const changes: [RegExp, string][] = [
    [/^payments = .*$/m, `${pathname.slice(1)} = host=${hostname} port=${port}`],
    [/^listen_addr = .*$/m, 'listen_addr = 127.0.0.1'],
    [/^listen_port = .*$/m, `listen_port = ${listenPort}`],
    [/^auth_file = .*$/m, `auth_file = ${users}`],
    [/^default_pool_size = .*$/m, `default_pool_size = ${SERVER_CONNECTIONS}`],
  ]
  if (!keepsStatements()) changes.push([/^max_prepared_statements = .*$/m, ''])
  let text = await readFile(`${compose}pgbouncer.ini`, 'utf8')
  for (const [line, other] of changes) {
    if (!line.test(text)) throw new Error(`pgbouncer.ini has no line ${line.source}`)
    text = text.replace(line, other)
  }
  const file = join(folder, 'pgbouncer.ini')
  await writeFile(file, text)
  const asUser = process.getuid?.() === 0 ? ['--user=nobody'] : []
  const child = endWithThisProcess(
    spawn(PGBOUNCER, ['--quiet', ...asUser, file], { stdio: ['ignore', 'ignore', 'inherit'] }),
  )
  const ended = once(child, 'close')
  const url = new URL(appUrl)
  url.port = String(listenPort)
  return {
    url: url.href,
    keepsStatements: keepsStatements(),
    stop: async () => {
      child.kill('SIGKILL')
      await ended
      await rm(folder, { recursive: true })
    },
  }

  /** What PgBouncer drops of the service's connections, its role has. */
  async function giveSettings(role: string): Promise<void> {
    const lines = (await readFile(`${compose}roles.sh`, 'utf8')).match(
      /^alter role payments_service set .*$/gm,
    )
    const statements = (lines ?? []).map((line) =>
      line.replace('payments_service', pg.escapeIdentifier(role)),
    )
    expect(statements.length).toBeGreaterThan(0)
    await runStatement(ownerUrl, statements.join('\n'))
  }
}

let ownerUrl: string

test(
  'the api and the worker share a few connections of PgBouncer in transaction mode, and every payment is what the rail says',
  async () => {
    const folder = await testFolder()
    const postgres = await startPostgres({ dataDir: join(folder, 'data'), settings: { fsync: 'off' } })
    onTestFinished(() => postgres.stop())
    ownerUrl = postgres.url
    const received: { readonly body: string }[] = []
    const stack = await startStack({
      databaseUrl: ownerUrl,
      startPooler: startPgBouncer,
      onWebhook: (webhook) => received.push(webhook),
      mockRailsSettings: { mtn: { autoApproveAfterMs: 100, lateSuccessAfterMs: 1_000 } },
    })
    onTestFinished(() => stack.stop())
    const merchant = await openMerchant(stack)
    const trade = async () => {
      for (let round = 0; round < ROUNDS; round += 1) {
        for (const msisdn of MSISDNS) await merchant.confirm(await merchant.createIntent(1_000), msisdn)
        const paid = await merchant.pay(2_000, '237670000001')
        await merchant.refund(paid, 100, '237670000001')
      }
    }
    await Promise.all(Array.from({ length: BUYERS }, trade))

    const connections = await runStatement(
      ownerUrl,
      `select application_name from pg_stat_activity where usename <> 'postgres' and backend_type = 'client backend'`,
    )
    expect(connections.length).toBeGreaterThan(0)
    expect(connections.length).toBeLessThanOrEqual(SERVER_CONNECTIONS)
    expect(await merchant.replay()).toEqual([])
    const { journal } = merchant
    expect(journal.filter(({ status }) => status >= 500)).toEqual([])
    await moveAhead(stack, [stack.worker])
    await untilDrained(ownerUrl)
    const { control } = stack.mockRails
    const { debits, credits } = await control.getLedger({ limit: 100_000 })
    const evidence = { databaseUrl: ownerUrl, debits, credits, journal, received, endpoints: 1 }
    expect(await findViolations(evidence)).toEqual([])
    expect(await findRailViolations(ownerUrl, await control.listCharges({ limit: 100_000 }))).toEqual([])
  },
  DRAIN_TIMEOUT_MS,
)

test('a start that may migrate leaves the time-outs of the shared connections as they are', async () => {
  const { url, appUrl, drop } = await cloneDatabase()
  onTestFinished(drop)
  ownerUrl = url
  const pooler = await startPgBouncer(appUrl)
  onTestFinished(() => pooler.stop())
  const ignore = () => undefined
  await prepareDatabase({
    url: pooler.url,
    namedStatements: false,
    migrateOnBoot: true,
    livemode: false,
    onConnectionLost: ignore,
    onAway: ignore,
  })

  const timeOuts = 'select distinct setting from pg_settings where name in ($1, $2) order by 1'
  const client = new pg.Client({ connectionString: pooler.url })
  onTestFinished(() => client.end())
  await client.connect()
  const { rows } = await client.query(timeOuts, ['statement_timeout', 'transaction_timeout'])
  expect(rows).toEqual([{ setting: '15000' }, { setting: '20000' }])
})
