import { sqlState } from '@merchant-payments/db'
import { sql } from 'kysely'
import { afterAll, describe, expect, test } from 'vitest'
import { type ApprovalRequestId, mintId, uuidOf } from '../src/base/ids.ts'
import { makeIntent, T0 } from './make.ts'
import { openWorld, saveIntent } from './world.ts'

const world = await openWorld()
afterAll(() => world.stop())

/** Omar's pending request to pay a number. */
async function saveRequest(): Promise<ApprovalRequestId> {
  const { id: intentId } = await saveIntent(world, makeIntent('succeeded'))
  const id = mintId('apr', T0)
  await sql`insert into approval_requests (id, merchant_id, kind, target, payment_intent_id, amount, currency,
      destination_msisdn, seen, reason, status, requested_by, requested_name, requested_at, expires_at, request_id)
    values (${uuidOf(id)}::uuid, 'acme', 'refund.create', ${intentId}, ${uuidOf(intentId)}::uuid, 500, 'XAF',
      '237670000002', '{}', 'A test.', 'pending', 'omar', 'Omar', now(), now() + interval '1 day', 'req_1')`.execute(
    world.db.writer,
  )
  return id
}

const change = (id: ApprovalRequestId, assignments: string) =>
  sql`update approval_requests set ${sql.raw(assignments)} where id = ${uuidOf(id)}::uuid`
    .execute(world.db.writer)
    .then(
      () => 'done',
      (error: unknown) => sqlState(error),
    )

const decided = (by: string) =>
  `status = 'approved', destination_msisdn = null, decided_by = '${by}', decided_name = '${by}',
   decision_reason = 'A test.', decided_at = now()`

describe('the database', () => {
  test('refuses an approval by the author of the request', async () => {
    const id = await saveRequest()
    expect(await change(id, decided('omar'))).toBe('23514')
    expect(await change(id, decided('olga'))).toBe('done')
  })

  test('refuses an approval without an approver, and one that keeps the number', async () => {
    const id = await saveRequest()
    expect(await change(id, `status = 'approved', destination_msisdn = null, decided_at = now()`)).toBe(
      '23514',
    )
    expect(await change(id, decided('olga').replace('destination_msisdn = null,', ''))).toBe('23514')
  })

  test.each([
    `destination_msisdn = '237670000003'`,
    'amount = 501',
    `target = 'pi_x'`,
    `kind = 'charge.return'`,
    `requested_by = 'olga'`,
    `seen = '{"refund_reserved": 1}'`,
    `expires_at = expires_at + interval '1 day'`,
    `reason = 'Another.'`,
  ])('refuses a change of what was asked for: %s', async (assignment) => {
    const id = await saveRequest()
    expect(await change(id, assignment)).toBe('23514')
    expect(await change(id, `${assignment}, ${decided('olga')}`)).not.toBe('done')
  })

  test('lets a number be cleared, and never set again', async () => {
    const id = await saveRequest()
    expect(await change(id, 'destination_msisdn = null')).toBe('done')
    expect(await change(id, `destination_msisdn = '237670000002'`)).toBe('23514')
  })

  test('refuses a change of a decided request', async () => {
    const id = await saveRequest()
    await change(id, decided('olga'))
    expect(await change(id, `decided_by = 'ada'`)).toBe('23514')
  })

  test('refuses to delete a request', async () => {
    await saveRequest()
    const remove = sql`delete from approval_requests`
    await expect(remove.execute(world.db.writer)).rejects.toMatchObject({ code: '42501' })
    await expect(remove.execute(world.owner.writer)).rejects.toMatchObject({ code: '23001' })
  })
})
