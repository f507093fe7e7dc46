import {
  eventTypes,
  type IntentStatus,
  type InvoiceStatus,
  type RefundStatus,
  type SessionStatus,
} from '@merchant-payments/contract'
import { instructionEnds } from '@merchant-payments/contract/words'
import { type ChargeStatus, sqlState } from '@merchant-payments/db'
import { sql } from 'kysely'
import { afterAll, describe, expect, test } from 'vitest'
import { approvalLifecycle } from '../src/approvals/lifecycle.ts'
import { chargeLifecycle } from '../src/charges/lifecycle.ts'
import { sessionLifecycle } from '../src/checkout-sessions/lifecycle.ts'
import { deliveryLifecycle } from '../src/deliveries/lifecycle.ts'
import { mintId, type RefundId, uuidOf } from '../src/base/ids.ts'
import { invoiceLifecycle } from '../src/invoices/lifecycle.ts'
import { changesOf } from '../src/base/lifecycle.ts'
import { intentLifecycle } from '../src/payment-intents/lifecycle.ts'
import { instructionLifecycle } from '../src/payouts/lifecycle.ts'
import { refundLifecycle } from '../src/refunds/lifecycle.ts'
import { makeCharge, makeIntent, makeInvoice, makeRefund, makeSession, T0 } from './make.ts'
import {
  openWorld,
  saveCharge,
  saveIntent,
  saveInvoice,
  savePaidInvoice,
  saveRefund,
  saveSession,
} from './world.ts'

const world = await openWorld()
afterAll(() => world.stop())

const lifecycles = [
  ['payment_intents', intentLifecycle],
  ['charges', chargeLifecycle],
  ['checkout_sessions', sessionLifecycle],
  ['invoices', invoiceLifecycle],
  ['refunds', refundLifecycle],
  ['deliveries', deliveryLifecycle],
  ['approval_requests', approvalLifecycle],
] as const

const verdictOf = (work: Promise<unknown>) =>
  work.then(
    () => 'done',
    (error: unknown) => `${sqlState(error)} ${(error as Error).message.replace(/illegal move of \w+: /, '')}`,
  )

/** Inserts a row of the table in this state. @returns what finds the row */
const rows = {
  payment_intents: async (status: string) => {
    const intent = await saveIntent(world, makeIntent(status as IntentStatus))
    // With this charge, only the trigger decides whether the intent may succeed.
    if (status !== 'succeeded') await saveCharge(world, makeCharge('succeeded', { intentId: intent.id }))
    return intent.id
  },
  charges: async (status: string) => {
    const { id: intentId } = await saveIntent(world, makeIntent('processing'))
    return (await saveCharge(world, makeCharge(status as ChargeStatus, { intentId }))).id
  },
  checkout_sessions: async (status: string) => {
    const intent = await saveIntent(world, makeIntent('requires_payment_method'))
    return (await saveSession(world, makeSession(intent, status as SessionStatus))).id
  },
  refunds: async (status: string) => {
    const { id: intentId } = await saveIntent(world, makeIntent('succeeded'))
    return (await saveRefund(world, makeRefund(status as RefundStatus, { intentId }))).id
  },
  invoices: async (status: string) => (await savePaidInvoice(world, makeInvoice(status as InvoiceStatus))).id,
  deliveries: async (status: string) => {
    const id = mintId('wd', T0)
    await sql`insert into deliveries (merchant_id, event_id, endpoint_id, id, status, created_at)
      values ('acme', ${uuidOf(mintId('evt', T0))}::uuid, 'hook', ${uuidOf(id)}::uuid, ${status}, now())`.execute(
      world.db.writer,
    )
    return id
  },
  approval_requests: async (status: string) => {
    const { id: intentId } = await saveIntent(world, makeIntent('requires_payment_method'))
    const id = mintId('apr', T0)
    const decided = status !== 'pending'
    const by = decided && status !== 'expired' ? 'olga' : null
    await sql`insert into approval_requests (id, merchant_id, kind, target, payment_intent_id, amount, currency, seen, reason,
        status, requested_by, requested_name, requested_at, expires_at, request_id, decided_by, decided_name,
        decision_reason, decided_at, obsolete_because)
      values (${uuidOf(id)}::uuid, 'acme', 'charge.resolve', ${id}, ${uuidOf(intentId)}::uuid, 1, 'XAF', '{}', 'A test.',
        ${status}, 'omar', 'Omar', now(), now() + interval '1 day', 'req_1', ${by}, ${by}, ${by},
        ${decided ? sql`now()` : null}, ${status === 'obsolete' ? 'charge_returned' : null})`.execute(
      world.db.writer,
    )
    return id
  },
}

const holds = (status: string) => Number(status === 'pending' || status === 'requires_action')

/** The amount that a refund in the new state reserves on its intent. */
const reserve = (from: string, to: string, id: string) => sql`
  with reserved as (
    update payment_intents p set refund_reserved = p.refund_reserved + ${holds(to) - holds(from)} * r.amount
    from refunds r where r.id = ${uuidOf(id as RefundId)}::uuid and p.id = r.payment_intent_id
  )`

const refundFailed = sql`,
  failure_reason = 'declined', instruction = 'refused', destination_msisdn = null`
/** Columns that other rules tie to the new state. They are set so that only the trigger decides. */
const also = {
  payment_intents: () => sql`, canceled_at = null`,
  charges: () => sql``,
  checkout_sessions: (to: string) => sql`, payment_status = ${to === 'complete' ? 'paid' : 'unpaid'}`,
  invoices: (to: string) => {
    const at = (status: string) => (to === status ? sql`now()` : sql`null`)
    return sql`, number = coalesce(number, ${(numbers += 1)}), finalized_at = coalesce(finalized_at, now()),
      paid_at = ${at('paid')}, voided_at = ${at('void')}, marked_uncollectible_at = ${at('uncollectible')}`
  },
  refunds: (to: string) => (to === 'failed' ? refundFailed : sql``),
  deliveries: () => sql``,
  approval_requests: (to: string) => {
    const by = to === 'pending' || to === 'expired' ? sql`null` : sql`'olga'`
    return sql`, decided_by = ${by}, decided_name = ${by}, decision_reason = ${by},
      decided_at = ${to === 'pending' ? sql`null` : sql`now()`},
      obsolete_because = ${to === 'obsolete' ? sql`'charge_returned'` : sql`null`}`
  },
}
let numbers = 1_000

describe.each(lifecycles)('the lifecycle of %s', (table, lifecycle) => {
  const states = Object.keys(lifecycle)
  const legal = changesOf(lifecycle)
  const pairs = states.flatMap((from) => states.filter((to) => to !== from).map((to) => [from, to] as const))

  test('is the list of its trigger, and the trigger is on every partition', async () => {
    const { rows: triggers } = await sql<{ changes: string[] }>`
      select string_to_array(rtrim(encode(tgargs, 'escape'), '\\000'), '\\000') as changes
      from pg_trigger where tgname = ${`${table}_moves`} and tgenabled = 'O'`.execute(world.db.writer)
    const { rows: parts } = await sql`select relid from pg_partition_tree(${table}::regclass)`.execute(
      world.db.writer,
    )
    expect(triggers.length).toBe(Math.max(1, parts.length))
    for (const { changes } of triggers) expect(changes.toSorted()).toEqual(legal)
  })

  test('has the states that the table allows', async () => {
    const { rows: checks } = await sql<{ states: string[] }>`
      select array(select m[1] from regexp_matches(pg_get_constraintdef(oid), '''(\\w+)''', 'g') m) as states
      from pg_constraint where conrelid = ${table}::regclass and conname = ${`${table}_status_check`}`.execute(
      world.db.writer,
    )
    expect(checks.map((check) => check.states.toSorted())).toEqual([states.toSorted()])
  })

  test.each(pairs)('%s to %s is judged by PostgreSQL as by the code [§3.1]', async (from, to) => {
    const id = await rows[table](from)
    const move = sql`${table === 'refunds' ? reserve(from, to, id) : sql``}
      update ${sql.table(table)} set status = ${to} ${also[table](to)} where id = ${uuidOf(id)}::uuid`
    const verdict = await verdictOf(move.execute(world.db.writer))
    const { rows: after } = await sql<{ status: string }>`
      select status from ${sql.table(table)} where id = ${uuidOf(id)}::uuid`.execute(world.db.writer)
    const isLegal = legal.includes(`${from}>${to}`)
    expect({ verdict, after }).toEqual({
      verdict: isLegal ? 'done' : `23514 ${from} to ${to}`,
      after: [{ status: isLegal ? to : from }],
    })
  })
})

describe('the instruction of a refund', () => {
  const states = Object.keys(instructionLifecycle)

  test('ends in the states that the dashboard shows as ends', () => {
    const ends = Object.entries(instructionLifecycle).filter(([, moves]) => Object.keys(moves).length === 0)
    expect(ends.map(([state]) => state)).toEqual(instructionEnds)
  })

  const legal = changesOf(instructionLifecycle)
  const pairs = states.flatMap((from) => states.filter((to) => to !== from).map((to) => [from, to] as const))
  const over = { destination: null }
  const inState = {
    unsent: () => makeRefund('pending', { instruction: 'unsent' }),
    sent: () => makeRefund('pending'),
    accepted: () => makeRefund('pending', { instruction: 'accepted', ...over }),
    refused: () => makeRefund('failed'),
  }

  test.each(pairs)('%s to %s is judged by PostgreSQL as by the code [§3.1]', async (from, to) => {
    const { id: intentId } = await saveIntent(world, makeIntent('succeeded'))
    const make = inState[from as keyof typeof inState]
    const { id } = await saveRefund(world, { ...make(), intentId })
    const ends = to === 'accepted' || to === 'refused'
    const fails = to === 'refused'
    const move = sql`${fails ? reserve('pending', 'failed', id) : sql``} update refunds set instruction = ${to}
        ${ends ? sql`, destination_msisdn = null` : sql``}
        ${fails ? sql`, status = 'failed', failure_reason = 'declined'` : sql``}
      where id = ${uuidOf(id)}::uuid`
    const verdict = await verdictOf(move.execute(world.db.writer))
    expect(verdict.replace('illegal move of an instruction: ', '')).toBe(
      legal.includes(`${from}>${to}`) ? 'done' : `23514 ${from} to ${to}`,
    )
  })

  test.each([
    ['a number after the rail has taken it', { instruction: 'accepted' }],
    ['a failure without a reason', { ...over, instruction: 'refused' }],
  ] as const)('cannot keep %s', async (_, fields) => {
    const { id: intentId } = await saveIntent(world, makeIntent('succeeded'))
    const verdict = await verdictOf(saveRefund(world, makeRefund('pending', { intentId, ...fields })))
    expect(verdict.slice(0, 5)).toBe('23514')
  })
})

test.each([
  ['more than was paid', 'succeeded', 1001],
  ['less than nothing', 'succeeded', -1],
  ['anything of what is not paid', 'processing', 1],
] as const)('refunds cannot hold %s', async (_, status, reserved) => {
  const { id } = await saveIntent(world, makeIntent(status))
  const hold = sql`update payment_intents set refund_reserved = ${reserved} where id = ${uuidOf(id)}::uuid`
  expect((await verdictOf(hold.execute(world.db.writer))).slice(0, 5)).toBe('23514')
})

/** Spec 6.1, word for word: the test fails if code and database gain the same extra type. */
const fifteen = [
  'charge.refund.updated',
  'charge.refunded',
  'checkout.session.expired',
  'customer.created',
  'customer.deleted',
  'customer.updated',
  'invoice.created',
  'invoice.finalized',
  'invoice.paid',
  'invoice.voided',
  'payment_intent.canceled',
  'payment_intent.created',
  'payment_intent.payment_failed',
  'payment_intent.processing',
  'payment_intent.succeeded',
]

test('the database and the code know the fifteen event types of the specification and no other [§6.1]', async () => {
  const { rows: checks } = await sql<{ types: string[] }>`
    select array(select m[1] from regexp_matches(pg_get_constraintdef(oid), '''([\\w.]+)''', 'g') m) as types
    from pg_constraint where conrelid = 'events'::regclass and conname = 'events_type_check'`.execute(
    world.db.writer,
  )
  expect(checks.map(({ types }) => types.toSorted())).toEqual([fifteen])
  expect(eventTypes.toSorted()).toEqual(fifteen)
})

describe('of one intent', () => {
  const statuses = Object.keys(chargeLifecycle) as (keyof typeof chargeLifecycle)[]
  const live = ['submitting', 'live', 'unconfirmed'] as const
  const collides = (one: string, other: string) =>
    ((live as readonly string[]).includes(one) && (live as readonly string[]).includes(other)) ||
    (one === 'succeeded' && other === 'succeeded')

  test.each(statuses.flatMap((one) => statuses.map((other) => [one, other] as const)))(
    'a charge that is %s beside one that is %s is refused only if both are live or both are paid',
    async (one, other) => {
      const { id: intentId } = await saveIntent(world, makeIntent('processing'))
      await saveCharge(world, makeCharge(one, { intentId }))
      const verdict = await verdictOf(saveCharge(world, makeCharge(other, { intentId })))
      expect(verdict.slice(0, 5)).toBe(collides(one, other) ? '23505' : 'done')
    },
  )
})

test('an intent has one session, and a paid one is no longer open [§2.5]', async () => {
  const intent = await saveIntent(world, makeIntent('requires_payment_method'))
  await saveSession(world, makeSession(intent, 'expired'))
  expect((await verdictOf(saveSession(world, makeSession(intent, 'open')))).slice(0, 5)).toBe('23505')
  const other = await saveIntent(world, makeIntent('requires_payment_method'))
  const paid = makeSession(other, 'open', { paymentStatus: 'paid' })
  expect((await verdictOf(saveSession(world, paid))).slice(0, 5)).toBe('23514')
})

test('one reference is one charge of its rail, whoever the merchant', async () => {
  const { id: intentId } = await saveIntent(world, makeIntent('processing'))
  const { reference } = await saveCharge(world, makeCharge('failed', { intentId }))
  await expect(saveCharge(world, makeCharge('failed', { intentId, reference }))).rejects.toMatchObject({
    code: '23505',
  })
})

describe('an invoice that is no draft', () => {
  const billed = ['open', 'paid', 'void', 'uncollectible'] as const
  const line = sql`(merchant_id, id, invoice_id, amount, unit_amount, quantity, metadata)`

  test.each(billed)('and is %s keeps its lines, its total, its number and itself', async (status) => {
    const invoice = uuidOf(await rows.invoices('draft'))
    await sql`insert into invoice_items ${line}
      values ('acme', ${uuidOf(mintId('ii', T0))}::uuid, ${invoice}::uuid, 1, 1, 1, '{}'::jsonb)`.execute(
      world.db.writer,
    )
    for (const to of new Set(['open', status])) {
      const set = sql`status = ${to} ${also.invoices(to)}`
      await sql`update invoices set ${set} where id = ${invoice}::uuid`.execute(world.db.writer)
    }
    const changes = [
      sql`update invoices set total = total + 1 where id = ${invoice}::uuid`,
      sql`update invoices set number = number + 1 where id = ${invoice}::uuid`,
      sql`delete from invoices where id = ${invoice}::uuid`,
      sql`insert into invoice_items ${line}
        values ('acme', ${uuidOf(mintId('ii', T0))}::uuid, ${invoice}::uuid, 1, 1, 1, '{}'::jsonb)`,
      sql`update invoice_items set amount = 2, unit_amount = 2 where invoice_id = ${invoice}::uuid`,
      sql`delete from invoice_items where invoice_id = ${invoice}::uuid`,
    ]
    for (const change of changes) {
      expect(await verdictOf(change.execute(world.db.writer))).toMatch(
        /^23514 a change of invoice(?:s|_items) that only a draft allows$/,
      )
    }
  })
})

test('two invoices of a merchant never share a number', async () => {
  const { number } = await saveInvoice(world, makeInvoice('open'))
  expect((await verdictOf(saveInvoice(world, makeInvoice('open', { number })))).slice(0, 5)).toBe('23505')
})
