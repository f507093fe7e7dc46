import { rm } from 'node:fs/promises'
import { startPostgres } from '@merchant-payments/postgres'
import { cloneDatabase } from '@merchant-payments/testing'
import { connect, runStatement } from '@merchant-payments/testing/client'
import { testFolder } from '@merchant-payments/testing/test-folder'
import { expect, onTestFinished, test } from 'vitest'
import { readHeldSnapshots } from '../src/held-snapshots.ts'
import { ensureAppLogin, migrate } from '../src/index.ts'
import { openTestDatabase } from '../src/testing.ts'

async function session(url: string) {
  const client = await connect(url)
  onTestFinished(() => client.end())
  const { rows } = await client.query<{ pid: string }>('select pg_backend_pid()::text as pid')
  return { client, pid: rows[0]?.pid }
}

async function open() {
  const database = await cloneDatabase()
  onTestFinished(() => database.drop())
  const db = openTestDatabase(database.appUrl)
  onTestFinished(() => db.close())
  const owner = await connect(database.url)
  onTestFinished(() => owner.end())
  return { db, owner, url: database.url }
}

test('the app role sees the age of a snapshot of another role, and no longer once it has ended', async () => {
  const { db, url } = await open()
  const { client: dump, pid } = await session(url)
  const ageMs = async () => (await readHeldSnapshots(db.reader)).find(({ name }) => name === pid)?.ageMs
  await dump.query('begin isolation level repeatable read')
  expect(await ageMs()).toBeUndefined()
  await dump.query('select from merchant_moves')
  const firstMs = (await ageMs()) ?? Number.NaN
  expect(firstMs).toBeGreaterThan(0)
  expect(await ageMs()).toBeGreaterThan(firstMs)
  await dump.query('rollback')
  expect(await ageMs()).toBeUndefined()
})

test('a snapshot is as old as the statement that took it, not as its transaction', async () => {
  const { owner, url } = await open()
  const { client: run, pid } = await session(url)
  await run.query('begin')
  const { rows } = await owner.query<{ now: string }>('select clock_timestamp()::text as now')
  await run.query('declare page cursor for select from merchant_moves')
  const shown = async () => {
    const young = 'select age <= clock_timestamp() - $2::timestamptz as young from held_snapshots()'
    return (await owner.query(`${young} where name = $1`, [pid, rows[0]?.now])).rows
  }
  expect(await shown()).toEqual([{ young: true }])
  await run.query('close page')
  expect(await shown()).toEqual([])
})

test('a transaction keeps its own rows beside its snapshot, each since its own time', async () => {
  const { db, url } = await open()
  const { client: writer, pid } = await session(url)
  const xmins = async () =>
    (await readHeldSnapshots(db.reader)).filter(({ name }) => name === pid).map(({ xmin }) => xmin)
  await writer.query('begin isolation level repeatable read')
  await writer.query('select from merchant_moves')
  await runStatement(url, 'select pg_current_xact_id()')
  const [snapshot, ...others] = await xmins()
  expect([typeof snapshot, others]).toEqual(['string', []])
  const { rows } = await writer.query<{ xid: string }>('select pg_current_xact_id()::xid::text as xid')
  expect(new Set(await xmins())).toEqual(new Set([snapshot, rows[0]?.xid]))
})

test('a snapshot keeps nothing until a later transaction writes', async () => {
  // A server of its own, on which nobody else writes.
  const settings = { fsync: 'off', autovacuum: 'off' }
  const server = await startPostgres({ dataDir: await testFolder(), settings })
  onTestFinished(async () => {
    await server.stop()
    await rm(server.dataDir, { recursive: true, force: true })
  })
  await migrate(server.url)
  const db = openTestDatabase(await ensureAppLogin(server.url, 'payments_service'))
  onTestFinished(() => db.close())
  const { client: dump, pid } = await session(server.url)
  await dump.query('begin isolation level repeatable read')
  await dump.query('select from merchant_moves')
  const xmins = async () =>
    new Map((await readHeldSnapshots(db.reader)).map(({ name, xmin }) => [name, xmin]))
  expect([...(await xmins()).values()]).toEqual([null, null])
  await runStatement(server.url, 'select pg_current_xact_id()')
  const later = await xmins()
  expect(later.get(pid ?? '')).toMatch(/^\d+$/)
  later.delete(pid ?? '')
  expect([...later.values()]).toEqual([null])
})

test('no session is named, not even the own one, if the owner may not see sessions', async () => {
  const { db, owner } = await open()
  expect((await readHeldSnapshots(db.reader)).map(({ holder }) => holder)).toContain('session')
  const role = `blind_${Date.now()}`
  await owner.query(`create role ${role}; alter function held_snapshots() owner to ${role}`)
  onTestFinished(async () => void (await owner.query(`drop owned by ${role} cascade; drop role ${role}`)))
  expect((await readHeldSnapshots(db.reader)).filter(({ holder }) => holder === 'session')).toEqual([])
})
