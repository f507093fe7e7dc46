import { cloneDatabase } from '@merchant-payments/testing'
import { connect } from '@merchant-payments/testing/client'
import { expect, onTestFinished, test } from 'vitest'
import { openTestDatabase } from '../src/testing.ts'
import { readHeldSnapshots } from '../src/held-snapshots.ts'

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
  const dump = await connect(url)
  onTestFinished(() => dump.end())
  const { rows } = await dump.query<{ name: string }>('select pg_backend_pid()::text as name')
  const name = rows[0]?.name
  const ageMs = async () => (await readHeldSnapshots(db.reader)).find((one) => one.name === name)?.ageMs
  await dump.query('begin isolation level repeatable read')
  expect(await ageMs()).toBeUndefined()
  await dump.query('select from merchant_moves')
  const firstMs = (await ageMs()) ?? Number.NaN
  expect(firstMs).toBeGreaterThan(0)
  expect(await ageMs()).toBeGreaterThan(firstMs)
  await dump.query('rollback')
  expect(await ageMs()).toBeUndefined()
})

test('no session is named, not even the own one, if the owner may not see sessions', async () => {
  const { db, owner } = await open()
  expect((await readHeldSnapshots(db.reader)).map(({ holder }) => holder)).toContain('session')
  const role = `blind_${Date.now()}`
  await owner.query(`create role ${role}; alter function held_snapshots() owner to ${role}`)
  onTestFinished(async () => void (await owner.query(`drop owned by ${role} cascade; drop role ${role}`)))
  expect((await readHeldSnapshots(db.reader)).filter(({ holder }) => holder === 'session')).toEqual([])
})
