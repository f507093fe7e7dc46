import type { Database } from '@merchant-payments/db'
import { openTestDatabase } from '@merchant-payments/db/testing'
import { cloneDatabase } from '@merchant-payments/testing'
import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { adoptSigningKey, listPublishableKeys, type SigningJwk } from '../../src/oauth/signing-keys.ts'

const HOUR_MS = 60 * 60 * 1_000
const bootMs = 1_800_000_000_000

const jwk = (kid: string, n = `modulus-of-${kid}`): SigningJwk => ({
  kty: 'RSA',
  use: 'sig',
  alg: 'RS256',
  kid,
  n,
  e: 'AQAB',
})

let database: Awaited<ReturnType<typeof cloneDatabase>>
let db: Database
beforeEach(async () => {
  database = await cloneDatabase()
  db = open(database.appUrl)
})
afterEach(async () => {
  await db.close()
  await database.drop()
})

const open = (url: string) => openTestDatabase(url, { poolSize: 10 })

const boot = (key: SigningJwk, nowMs = bootMs) => adoptSigningKey(db, { jwk: key, nowMs })
const published = async (atMs: number) => (await listPublishableKeys(db.reader, atMs)).map((key) => key.jwk)
const rows = () => db.reader.selectFrom('signing_keys').selectAll().orderBy('kid').execute()

test('the first key is active, and stays so at every boot', async () => {
  expect(await boot(jwk('a'))).toBe('active')
  expect(await boot(jwk('a'), bootMs + HOUR_MS)).toBe('active')
  expect(await rows()).toMatchObject([
    { kid: 'a', public_jwk: jwk('a'), first_used_at: bootMs, retired_at: null, revoked_at: null },
  ])
})

test('a new key retires the one before, which stays published for 24 hours [§5.5]', async () => {
  await boot(jwk('a'))
  const rotatedMs = bootMs + HOUR_MS
  expect(await boot(jwk('b'), rotatedMs)).toBe('active')
  expect(await rows()).toMatchObject([
    { kid: 'a', public_jwk: jwk('a'), first_used_at: bootMs, retired_at: rotatedMs },
    { kid: 'b', public_jwk: jwk('b'), first_used_at: rotatedMs, retired_at: null },
  ])
  expect(await listPublishableKeys(db.reader, rotatedMs + 24 * HOUR_MS - 1)).toEqual([
    { jwk: jwk('b'), untilMs: null },
    { jwk: jwk('a'), untilMs: rotatedMs + 24 * HOUR_MS },
  ])
  expect(await published(rotatedMs + 24 * HOUR_MS)).toEqual([jwk('b')])
})

test('a retired key is refused for ever, and changes nothing', async () => {
  await boot(jwk('a'))
  await boot(jwk('b'))
  const before = await rows()
  expect(await boot(jwk('a'), bootMs + 1)).toBe('retired_key')
  expect(await boot(jwk('a'), bootMs + 1_000 * HOUR_MS)).toBe('retired_key')
  expect(await rows()).toEqual(before)
})

test('a retired key is refused under another kid too [§5.5]', async () => {
  await boot(jwk('a'))
  await boot(jwk('b'))
  const before = await rows()
  expect(await boot(jwk('c', 'modulus-of-a'))).toBe('retired_key')
  expect(await rows()).toEqual(before)
})

test('the active key may change its kid, and not back', async () => {
  await boot(jwk('a'))
  expect(await boot(jwk('b', 'modulus-of-a'))).toBe('active')
  expect(await boot(jwk('b', 'modulus-of-a'))).toBe('active')
  expect(await boot(jwk('a'))).toBe('retired_key')
})

test('another key under a kid that was used is refused', async () => {
  await boot(jwk('a'))
  expect(await boot(jwk('a', 'another modulus'))).toBe('kid_taken')
  expect(await published(bootMs)).toEqual([jwk('a')])
})

async function countWaiting(): Promise<number> {
  const { rows } = await sql<{ waiting: number }>`
    select count(*)::int as waiting from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`.execute(db.writer)
  return rows[0]?.waiting ?? 0
}

test('replicas that boot together with a new key all come up, and rotate once', async () => {
  await boot(jwk('a'))
  const boots = await db.transact(async (tx) => {
    await tx.selectFrom('signing_keys').select('kid').forUpdate().execute()
    const started = Array.from({ length: 8 }, () => boot(jwk('b')))
    await expect.poll(countWaiting, { interval: 5 }).toBe(8)
    return { started }
  })
  expect(await Promise.all(boots.started)).toEqual(Array.from({ length: 8 }, () => 'active'))
  expect((await rows()).map(({ kid, retired_at }) => [kid, retired_at])).toEqual([
    ['a', bootMs],
    ['b', null],
  ])
})

describe('a revoked key', () => {
  const revoke = (kid: string, reason: string | null = 'leaked') =>
    sql`select ops_revoke_signing_key(${kid}, ${reason}, 'ann')`.execute(db.writer)

  test.each(['a', 'b'])('%s is published no longer, and is refused at every boot', async (kid) => {
    await boot(jwk('a'))
    await boot(jwk('b'))
    await revoke(kid)
    expect((await published(bootMs)).map((key) => key.kid)).not.toContain(kid)
    expect(await boot(jwk(kid))).toBe('revoked_key')
    expect(await boot(jwk('another kid', `modulus-of-${kid}`))).toBe('revoked_key')
    expect(await boot(jwk('c'))).toBe('active')
    expect((await published(bootMs)).map((key) => key.kid).sort()).toEqual(
      ['a', 'b', 'c'].filter((other) => other !== kid),
    )
  })

  test('keeps who revoked it and why, and stays revoked', async () => {
    await boot(jwk('a'))
    await revoke('a')
    const { rows: kept } = await sql`
      select revoked_by, revocation_reason, retired_at is not null as retired from signing_keys`.execute(
      db.writer,
    )
    expect(kept).toEqual([{ revoked_by: 'ann', revocation_reason: 'leaked', retired: true }])
    const lift = sql`update signing_keys
      set revoked_at = null, revoked_by = null, revocation_reason = null`
    const remove = sql`delete from signing_keys`
    await expect(lift.execute(db.writer)).rejects.toMatchObject({ code: '23514' })
    await expect(remove.execute(db.writer)).rejects.toMatchObject({ code: '42501' })
    const owner = open(database.url)
    onTestFinished(() => owner.close())
    await expect(remove.execute(owner.writer)).rejects.toMatchObject({ code: '23514' })
  })

  test('is named, once, with a reason', async () => {
    await boot(jwk('a'))
    await expect(revoke('nobody')).rejects.toMatchObject({ code: 'P0002' })
    await expect(revoke('a', ' ')).rejects.toMatchObject({ code: '22023' })
    await expect(revoke('a', null)).rejects.toMatchObject({ code: '22023' })
    await revoke('a')
    await expect(revoke('a')).rejects.toMatchObject({ code: 'P0002' })
  })
})
