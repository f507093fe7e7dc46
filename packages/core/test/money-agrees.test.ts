import { sqlState } from '@merchant-payments/db'
import { type RawBuilder, sql } from 'kysely'
import { afterAll, describe, expect, test } from 'vitest'
import { uuidOf } from '../src/base/ids.ts'
import type { Intent } from '../src/payment-intents/intent.ts'
import { makeCharge, makeIntent, makeInvoice, makeRefund } from './make.ts'
import { openWorld, saveCharge, saveIntent, savePaid, savePaidInvoice, saveRefund } from './world.ts'

/** Rules between rows that hold money, tested with plain SQL (docs/decisions/0011). */

const world = await openWorld()
afterAll(() => world.stop())

/**
 * Runs the statements in one transaction, as the owner, so that a missing right does not hide a missing rule.
 *
 * @returns `done`, or the rule that refused the transaction
 */
const verdictOf = (...statements: RawBuilder<unknown>[]) =>
  world.owner
    .transact(async (tx) => {
      for (const statement of statements) await statement.execute(tx)
    })
    .then(
      () => 'done',
      (error: unknown) => `${sqlState(error)} ${(error as { constraint?: string }).constraint}`,
    )

type Row = Parameters<typeof uuidOf>[0]
const where = (id: Row) => sql`where id = ${uuidOf(id)}::uuid`
const update = (table: string, set: RawBuilder<unknown>, id: Row) =>
  sql`update ${sql.table(table)} set ${set} ${where(id)}`

const succeed = ({ id }: Intent) => update('payment_intents', sql`status = 'succeeded'`, id)

async function saveLive() {
  const intent = await saveIntent(world, makeIntent('processing'))
  const charge = await saveCharge(world, makeCharge('live', { intentId: intent.id }))
  return { intent, collect: update('charges', sql`status = 'succeeded'`, charge.id), charge }
}

async function saveRefunded() {
  const intent = await savePaid(world)
  return { intent, refund: await saveRefund(world, makeRefund('pending', { intentId: intent.id })) }
}

describe('a charge', () => {
  test.each([
    ['another amount', { amountMinor: 999 }],
    ['another currency', { currency: 'EUR' }],
  ] as const)('is not taken with %s than its intent', async (_, fields) => {
    const { id: intentId } = await saveIntent(world, makeIntent('processing'))
    const charge = makeCharge('live', { intentId, ...fields })
    await expect(saveCharge(world, charge)).rejects.toMatchObject({
      code: '23503',
      constraint: 'charges_money',
    })
  })

  test.each([['amount = amount + 1'], [`currency = 'EUR'`]])(
    'keeps the %s of its intent, whichever of the two is changed',
    async (change) => {
      const { intent, charge } = await saveLive()
      const set = sql.raw(change)
      expect(await verdictOf(update('charges', set, charge.id))).toBe('23503 charges_money')
      expect(await verdictOf(update('payment_intents', set, intent.id))).toBe('23514 payment_intents_made')
    },
  )

  test('stays with its intent', async () => {
    const { charge } = await saveLive()
    const { intent: other } = await saveLive()
    const move = update('charges', sql`payment_intent_id = ${uuidOf(other.id)}::uuid`, charge.id)
    expect(await verdictOf(move)).toBe('23514 charges_made')
  })
})

describe('a succeeded intent', () => {
  test('has a succeeded charge by the end of the transaction, whichever of the two is written first', async () => {
    const [one, other] = [await saveLive(), await saveLive()]
    expect(await verdictOf(succeed(one.intent), one.collect)).toBe('done')
    expect(await verdictOf(other.collect, succeed(other.intent))).toBe('done')
  })

  test('is refused without one', async () => {
    const { intent } = await saveLive()
    expect(await verdictOf(succeed(intent))).toBe('23514 payment_intents_collected')
    const bare = sql`insert into payment_intents (merchant_id, id, amount, currency, status, payment_method_types,
        metadata, client_secret, livemode)
      values ('acme', gen_random_uuid(), 1000, 'XAF', 'succeeded', '{push_rail}', '{}', 's', false)`
    expect(await verdictOf(bare)).toBe('23514 payment_intents_collected')
  })

  test('cannot get a second succeeded charge', async () => {
    const { id: intentId } = await savePaid(world)
    const second = makeCharge('succeeded', { intentId })
    await expect(saveCharge(world, second)).rejects.toMatchObject({ constraint: 'charges_one_succeeded' })
  })

  test('cannot lose its succeeded charge', async () => {
    const intent = await savePaid(world)
    const charges = sql`delete from charges where payment_intent_id = ${uuidOf(intent.id)}::uuid`
    expect(await verdictOf(charges)).toBe('23514 charges_kept')
    expect(await verdictOf(charges, sql`delete from payment_intents ${where(intent.id)}`)).toBe('done')
  })
})

describe('what an intent holds for refunds', () => {
  const hold = (by: number, { id }: Intent) =>
    update('payment_intents', sql`refund_reserved = refund_reserved + ${by}`, id)
  const open = (
    { id }: Intent,
    amount: number,
  ) => sql`insert into refunds (merchant_id, id, payment_intent_id, status,
      amount, currency, metadata, livemode, opened_at, rail, reference, instruction, submit_deadline)
    values ('acme', gen_random_uuid(), ${uuidOf(id)}::uuid, 'pending', ${amount}, 'XAF', '{}', false, now(), 'push_rail',
      gen_random_uuid(), 'unsent', now())`
  const failing = sql`status = 'failed', failure_reason = 'declined', instruction = 'refused',
    destination_msisdn = null`

  test('is their sum by the end of the transaction, whichever of the two is written first', async () => {
    const { intent, refund } = await saveRefunded()
    expect(await verdictOf(open(intent, 100), hold(100, intent))).toBe('done')
    expect(await verdictOf(hold(200, intent), open(intent, 150), open(intent, 50))).toBe('done')
    expect(await verdictOf(hold(-400, intent), update('refunds', failing, refund.id))).toBe('done')
    expect(await verdictOf(open(intent, 700))).toBe('23514 refunds_reserved')
  })

  test.each([
    ['a refund that is opened', (intent: Intent) => open(intent, 1), 'refunds_reserved'],
    ['more', (intent: Intent) => hold(1, intent), 'payment_intents_released'],
    ['less', (intent: Intent) => hold(-1, intent), 'payment_intents_released'],
  ] as const)('is refused with %s alone', async (_, change, rule) => {
    const { intent } = await saveRefunded()
    expect(await verdictOf(change(intent))).toBe(`23514 ${rule}`)
  })

  test.each([
    ['fails', (id: Row) => update('refunds', failing, id), 'refunds_released'],
    ['is another amount', (id: Row) => update('refunds', sql`amount = 399`, id), 'refunds_made'],
    ['is deleted', (id: Row) => sql`delete from refunds ${where(id)}`, 'refunds_reserved'],
  ] as const)('is refused where a refund %s alone', async (_, change, rule) => {
    const { refund } = await saveRefunded()
    expect(await verdictOf(change(refund.id))).toBe(`23514 ${rule}`)
  })

  test('is zero for a new intent', async () => {
    const intent = sql`insert into payment_intents (merchant_id, id, amount, currency, status, payment_method_types,
        metadata, client_secret, livemode, refund_reserved)
      values ('acme', gen_random_uuid(), 1000, 'XAF', 'succeeded', '{push_rail}', '{}', 's', false, 1) returning id`
    const paid = sql`with paid as (${intent}) insert into charges (merchant_id, id, payment_intent_id, rail, status,
        amount, currency, reference, opened_at, submit_deadline)
      select 'acme', gen_random_uuid(), id, 'push_rail', 'succeeded', 1000, 'XAF', id, now(), now() from paid`
    expect(await verdictOf(paid)).toBe('23514 payment_intents_reserved')
  })
})

describe('a paid invoice', () => {
  const pay = (intent: Intent) =>
    sql`status = 'paid', paid_at = now(), payment_intent_id = ${uuidOf(intent.id)}::uuid`
  const saveOpen = () => savePaidInvoice(world, makeInvoice('open'))

  test('names a succeeded intent of its own, of its total', async () => {
    const { id } = await saveOpen()
    expect(await verdictOf(update('invoices', sql`status = 'paid', paid_at = now()`, id))).toBe('done')
  })

  test.each<[string, (invoiceId: Intent['invoiceId']) => Promise<Intent>]>([
    ['of no invoice', () => savePaid(world)],
    ['of another invoice', async () => savePaid(world, { invoiceId: (await saveOpen()).id })],
    ['of another amount', (invoiceId) => savePaid(world, { invoiceId, amountMinor: 999 })],
    ['of another currency', (invoiceId) => savePaid(world, { invoiceId, currency: 'EUR' })],
    ['that has not succeeded', (invoiceId) => saveIntent(world, makeIntent('processing', { invoiceId }))],
  ])('is refused with an intent %s', async (_, intentFor) => {
    const { id } = await saveOpen()
    expect(await verdictOf(update('invoices', pay(await intentFor(id)), id))).toBe('23514 invoices_paid')
  })

  test('keeps that intent, and the intent its invoice', async () => {
    const invoice = await savePaidInvoice(world, makeInvoice('paid'))
    const other = await savePaid(world)
    const named = sql`payment_intent_id = ${uuidOf(other.id)}::uuid`
    expect(await verdictOf(update('invoices', named, invoice.id))).toBe('23514 invoices_paid')
    expect(await verdictOf(update('invoices', sql`currency = 'EUR'`, invoice.id))).toBe('23514 invoices_paid')
    const { rows } = await sql<{ id: string }>`select replace(payment_intent_id::text, '-', '') as id
      from invoices ${where(invoice.id)}`.execute(world.db.writer)
    const leave = update('payment_intents', sql`invoice_id = null`, `pi_${rows[0]?.id}` as Row)
    expect(await verdictOf(leave)).toBe('23514 payment_intents_made')
  })
})
