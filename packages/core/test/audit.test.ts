import { type Database, sqlState } from '@merchant-payments/db'
import { sql } from 'kysely'
import { afterAll, describe, expect, test } from 'vitest'
import { nothing } from '../src/audit/before.ts'
import { changeOnce, type StaffRequest } from '../src/audit/change.ts'
import { getStaffCustomer, listStaffCustomers } from '../src/customers/staff/queries.ts'
import { lookUp } from '../src/screens/lookup/queries.ts'
import { payerNumbersOf } from '../src/staff/payer-numbers.ts'
import { cancelStaffIntent } from '../src/payment-intents/staff/changes.ts'
import { listStaffIntents } from '../src/screens/payment/queries.ts'
import { fingerprintOf } from '../src/commit/key.ts'
import { cancelIntent } from '../src/payment-intents/cancel.ts'
import { ACME, makeIntent, PAYER } from './make.ts'
import { claimOf, eventsOf, openWorld, readIntent, saveCustomer, saveIntent } from './world.ts'

const world = await openWorld()
afterAll(() => world.stop())

let keys = 0
const requestOf = (key = `staff-${++keys}`): StaffRequest => ({
  staff: { subject: 'omar', name: 'Omar', role: 'operator' },
  reason: 'A test.',
  requestId: 'req_1',
  key,
  fingerprint: fingerprintOf('POST', '/x', new Uint8Array()),
})

const entriesOf = async (target: string) =>
  (await sql`select 1 from audit_entries where target = ${target}`.execute(world.db.writer)).rows.length

/** Makes every insert of an entry fail until the returned function is called. */
async function refuseEntries(): Promise<() => Promise<unknown>> {
  const run = (statement: string) => sql.raw(statement).execute(world.owner.writer)
  await run(`create or replace function refuse_entry() returns trigger language plpgsql as $$
    begin raise exception 'no room' using errcode = 'disk_full'; end $$`)
  await run(`create trigger audit_entries_full before insert on audit_entries
    for each row execute function refuse_entry()`)
  return () => run('drop trigger audit_entries_full on audit_entries')
}

describe('the log', () => {
  test.each([
    "update audit_entries set reason = 'Another.'",
    'update audit_entries set reason = reason where false',
    'delete from audit_entries',
    'truncate audit_entries cascade',
  ])('refuses %s, whoever asks', async (statement) => {
    const refusalOf = ({ writer }: Database) =>
      sql
        .raw(statement)
        .execute(writer)
        .catch((error: unknown) => sqlState(error))
    expect([await refusalOf(world.db), await refusalOf(world.owner)]).toEqual(['42501', '23001'])
  })
})

test('if the entry cannot be written, there is no change and no event, and the key stays free', async () => {
  const intent = await saveIntent(world, makeIntent('requires_payment_method'))
  const request = requestOf()
  const makeRoom = await refuseEntries()
  await expect(cancelStaffIntent(world, request, intent.id)).rejects.toThrow('no room')
  await makeRoom()
  expect((await readIntent(world, intent.id))?.status).toBe('requires_payment_method')
  expect(await eventsOf(world, intent.id)).toEqual([])

  const { entry, replayed } = await cancelStaffIntent(world, request, intent.id)
  expect(replayed).toBe(false)
  expect(entry).toMatchObject({ target: intent.id, after: { status: 'canceled' } })
  expect((await readIntent(world, intent.id))?.status).toBe('canceled')
})

test('an entry whose change cannot be made is not written', async () => {
  const change = changeOnce(world, requestOf(), { action: 'fanout.retry', target: 'evt_x' }, async (db) => {
    await sql`insert into disabled_clients (client_id, reason) values ('half', 'done')`.execute(db.writer)
    throw new Error('half way')
  })
  await expect(change).rejects.toThrow('half way')
  expect(await entriesOf('evt_x')).toBe(0)
  const { rows } = await sql`select 1 from disabled_clients where client_id = 'half'`.execute(world.db.writer)
  expect(rows).toEqual([])
})

test('of two concurrent requests with one key, one makes the change, and both get its answer', async () => {
  const request = requestOf()
  const both = Promise.withResolvers<void>()
  let inside = 0
  const work = async () => {
    inside += 1
    if (inside === 2) both.resolve()
    await both.promise
    return { merchantId: ACME, before: nothing, after: {} }
  }
  const target = `evt_${request.key}`
  const change = () => changeOnce(world, request, { action: 'fanout.retry', target }, work)
  const [one, two] = await Promise.all([change(), change()])
  expect(new Set([one.replayed, two.replayed])).toEqual(new Set([false, true]))
  expect(one.entry).toEqual(two.entry)
  expect(await entriesOf(target)).toBe(1)
})

test('nothing runs under a used key: another request is refused, and the same one gets the stored answer', async () => {
  const request = requestOf()
  const aim = { action: 'fanout.retry', target: `evt_${request.key}` } as const
  await changeOnce(world, request, aim, async () => ({ merchantId: ACME, before: nothing, after: {} }))
  const other = { ...request, fingerprint: Buffer.alloc(32) }
  let ran = 0
  const work = () => {
    ran += 1
    return Promise.reject(new Error('it ran'))
  }
  await expect(changeOnce(world, other, aim, work)).rejects.toMatchObject({ code: 'idempotency_key_in_use' })
  const again = await changeOnce(world, request, aim, work)
  expect([again.replayed, ran]).toEqual([true, 0])
})

test('a staff member’s key is no merchant’s: the same text serves both', async () => {
  const claim = claimOf()
  const ofMerchant = await saveIntent(world, makeIntent('requires_payment_method'))
  const ofStaff = await saveIntent(world, makeIntent('requires_payment_method'))
  await cancelIntent(world, claim, ofMerchant.id, null)
  const { replayed } = await cancelStaffIntent(world, requestOf(claim.key), ofStaff.id)
  expect(replayed).toBe(false)
  expect((await readIntent(world, ofStaff.id))?.status).toBe('canceled')
})

test('a read of a person whose entry cannot be written is refused', async () => {
  const deps = {
    ...world,
    payerNumbers: payerNumbersOf([{ version: 1, key: 'a key of a test' }], world.clock),
  }
  const by = { staff: { subject: 'vera', name: 'Vera', role: 'viewer' }, requestId: 'req_1' } as const
  const customer = await saveCustomer(world)
  const payer = deps.payerNumbers.handleOf(PAYER)
  const page = { limit: 10, startingAfter: null, endingBefore: null, merchantId: null, created: null }
  const filters = { amount: null, currency: null, charge: null, decline: null, metadata: null }
  const any = { status: null, rail: null, customerId: null, payer, ...filters }
  const reads = [
    () => getStaffCustomer(deps, by, customer),
    () => listStaffCustomers(deps, by, page, payer),
    () => listStaffIntents(deps, by, page, any),
    () => lookUp(deps, by, PAYER),
  ]
  const makeRoom = await refuseEntries()
  for (const read of reads) await expect(read()).rejects.toThrow('no room')
  await makeRoom()
  for (const read of reads) expect(await read()).toHaveProperty('answer')
})

describe('the table', () => {
  const change = { role: 'operator', action: 'fanout.retry', merchant: 'acme', reason: 'A test.', key: 'own' }
  const view = { role: 'viewer', action: 'customer.view', merchant: 'acme', reason: null, key: null }
  const finding = { ...change, action: 'rail_finding.record', merchant: null }
  const insert = ({ role, action, merchant, reason, key }: Record<keyof typeof change, string | null>) =>
    sql`insert into audit_entries (id, actor_subject, actor_name, before, after, request_id, target, actor_role, action,
        merchant_id, reason, idempotency_key, fingerprint)
      values (gen_random_uuid(), 'vera', 'Vera', '{}', '{}', 'req_1', 'x', ${role}, ${action}, ${merchant}, ${reason},
        ${key}, ${key === null ? null : Buffer.alloc(32)})`
      .execute(world.db.writer)
      .then(
        () => 'written',
        (error: unknown) => sqlState(error),
      )

  test.each([
    ['a change by a viewer', { ...change, role: 'viewer' }],
    ['a change without a reason', { ...change, reason: null }],
    ['a change without a key', { ...change, key: null }],
    ['a change of no merchant', { ...change, merchant: null }],
    ['a read with a reason', { ...view, reason: 'A test.' }],
    ['a read with a key', { ...view, key: 'own' }],
    ['a customer of no merchant', { ...view, merchant: null }],
    ['a number of a merchant', { ...view, action: 'number.look_up' }],
    ['a finding by a viewer', { ...finding, role: 'viewer' }],
    ['a finding without a reason', { ...finding, reason: null }],
    ['a finding without a key', { ...finding, key: null }],
    ['the end of a finding by a viewer', { ...finding, action: 'rail_finding.close', role: 'viewer' }],
    ['the end of a finding without a reason', { ...finding, action: 'rail_finding.close', reason: null }],
  ])('refuses %s', async (_what, row) => {
    expect(await insert(row)).toBe('23514')
  })

  test('takes a change and a read that are whole, and a finding whose merchant is not known', async () => {
    const whole = [
      change,
      view,
      { ...finding, key: 'found' },
      { ...finding, action: 'rail_finding.close', key: 'closed' },
    ]
    for (const row of whole) expect(await insert(row)).toBe('written')
  })
})
