import { FINANCE_SUMMED_MAX, Refusal } from '@merchant-payments/contract'
import { openTestDatabase } from '@merchant-payments/db/testing'
import { sql } from 'kysely'
import { afterAll, describe, expect, test } from 'vitest'
import { type Id, idOf, type MerchantId } from '../src/base/ids.ts'
import { listAttentionRows } from '../src/attention/store.ts'
import { listAuditRows } from '../src/audit/store.ts'
import { type DeliveryFilter, listDeliveryRows } from '../src/deliveries/staff/store.ts'
import { readOpenCharges } from '../src/screens/rail/store.ts'
import { listEventsOf } from '../src/events/staff/store.ts'
import { getFinanceSummary } from '../src/screens/exports/queries.ts'
import { readHealth } from '../src/screens/merchant/store.ts'
import { costsOf } from './explain.ts'
import { ACME, PAYER } from './make.ts'
import { openWorld } from './world.ts'

const FILL_TIMEOUT_MS = 300_000

const world = await openWorld()
const filler = openTestDatabase(world.url, { namedStatements: false, queryTimeoutMs: FILL_TIMEOUT_MS })
afterAll(async () => {
  await filler.close()
  await world.stop()
})

const NOW = Date.now()
/** Row n is this many milliseconds after the first. */
const STEP_MS = 10
const START_MS = NOW - 3_600_000
const run = (text: string) => sql.raw(text).execute(filler.writer)
/** The id of row n, which has its time. */
const idEach = (stepMs: number, startMs = START_MS) =>
  `(lpad(to_hex(${startMs}::bigint + n::bigint * ${stepMs}), 12, '0') || '7000a' || lpad(to_hex(n), 15, '0'))::uuid`
const ID = idEach(STEP_MS)

interface Filled {
  readonly table: string
  /** Each column and its value in row n. */
  readonly columns: Readonly<Record<string, string>>
  readonly from?: number
  readonly to: number
}

async function fill({ table, columns, from = 1, to }: Filled) {
  // As a restore does: without foreign keys and triggers. A connection that was idle for long has been replaced.
  await run('set session_replication_role = replica; set statement_timeout = 0; set transaction_timeout = 0')
  await run(`insert into ${table} (${Object.keys(columns).join(', ')})
    select ${Object.values(columns).join(', ')} from generate_series(${from}, ${to}) n`)
  await run(`vacuum (analyze) ${table}`)
}

/** The id of row n on the wire. */
const wireId = <P extends Parameters<typeof idOf>[0]>(prefix: P, n: number): Id<P> =>
  idOf(
    prefix,
    `${(START_MS + n * STEP_MS).toString(16).padStart(12, '0')}7000a${n.toString(16).padStart(15, '0')}`,
  )

/** The most that any of the statements costs, with the plan for its values and with the one for all values. */
async function mostOf(work: Parameters<typeof costsOf>[1]) {
  const costs = await costsOf(world, work)
  return {
    /** Each step of a plan counts the rows that pass it. */
    rows: Math.max(...costs.map(({ rows }) => rows)),
    pages: Math.max(...costs.map(({ buffers }) => buffers)),
  }
}

describe('the health of an endpoint', () => {
  const OTHERS = 150_000
  const deliveries = (endpoint: string, status = 'succeeded') => ({
    merchant_id: `'${ACME}'`,
    event_id: ID,
    endpoint_id: `'${endpoint}'`,
    id: ID,
    status: `'${status}'`,
    created_at: 'now()',
    finished_at: 'now()',
  })
  const attempts = {
    merchant_id: `'${ACME}'`,
    delivery_id: ID,
    number: '1',
    event_id: ID,
    started_at: 'now()',
    duration_ms: '5',
    status_code: '200',
  }
  const healthOf = (endpoint: string) => readHealth(world.db.reader, ACME, endpoint, NOW)

  test(
    'is read in as many pages, however many deliveries the merchant has to its other endpoints',
    async () => {
      // The first three are older than all that is searched.
      await fill({ table: 'deliveries', columns: deliveries('rare'), to: 3 })
      await fill({ table: 'deliveries', columns: deliveries('main'), from: 4, to: OTHERS })
      await fill({ table: 'delivery_attempts', columns: attempts, from: OTHERS - 600, to: OTHERS })
      for (const endpoint of ['new', 'rare']) {
        const { pages } = await mostOf(({ reader }) => readHealth(reader, ACME, endpoint, NOW))
        expect(pages).toBeLessThan(400)
      }
      // The newest five hundred end the search.
      const { rows } = await mostOf(({ reader }) => readHealth(reader, ACME, 'main', NOW))
      expect(rows).toBeLessThan(15_000)
    },
    FILL_TIMEOUT_MS,
  )

  test(
    'says whether the search ended before it had looked at all of its deliveries',
    async () => {
      expect(await healthOf('main')).toMatchObject({ attempts: 500, succeeded: 500, is_cut: false })
      expect(await healthOf('rare')).toMatchObject({ attempts: 0, last_success_at: null, is_cut: true })
      await fill({ table: 'deliveries', columns: deliveries('rare'), from: OTHERS + 1, to: OTHERS + 2 })
      await fill({ table: 'delivery_attempts', columns: attempts, from: OTHERS + 1, to: OTHERS + 2 })
      expect(await healthOf('rare')).toMatchObject({ attempts: 2, succeeded: 2, is_cut: true })
      expect(await readHealth(world.db.reader, 'globex' as MerchantId, 'new', NOW)).toMatchObject({
        attempts: 0,
        is_cut: false,
      })
    },
    FILL_TIMEOUT_MS,
  )
})

const page = { limit: 10, startingAfter: null, endingBefore: null, merchantId: null, created: null } as const
const GLOBEX = 'globex' as MerchantId
/** More rows than a search looks through. */
const FOUND_AT = [1, 59_000, 59_500]
const ROWS = 60_000
const isFound = `n in (${FOUND_AT.join(', ')})`
/** Each row passes at most four steps of a plan. */
const SEARCHED_ROWS = 45_000

/** What a list answers, and the most rows that it reads. A refusal is answered as null. */
async function pageOf(
  list: (
    reader: Parameters<typeof listAuditRows>[0],
  ) => Promise<{ items: readonly { id: string }[]; hasMore: boolean }>,
  rowsMax = SEARCHED_ROWS,
) {
  const { rows } = await mostOf(({ reader }) => list(reader).catch(unlessRefused))
  const found = await list(world.db.reader).catch(unlessRefused)
  const numbers = found?.items.map(({ id }) => Number.parseInt(id.slice(-15).replaceAll('-', ''), 16))
  return { isBounded: rows < rowsMax, found: numbers ?? null, hasMore: found?.hasMore }
}
const unlessRefused = (error: unknown) => {
  if (!(error instanceof Refusal)) throw error
  return null
}

describe('the inbox', () => {
  const any = { status: null, alert: null, assignee: null } as const
  const list =
    (filter: Partial<Parameters<typeof listAttentionRows>[2]>, more: object = {}) =>
    (reader: Parameters<typeof listAttentionRows>[0]) =>
      listAttentionRows(reader, { ...page, ...more }, { ...any, ...filter })

  test(
    'is searched among as many items, however many there are',
    async () => {
      await fill({
        table: 'attention_items',
        columns: {
          id: ID,
          alert: `case when ${isFound} then 'charge_stuck' else 'webhook_exhausted' end`,
          object: `'wd_' || lpad(to_hex(n), 32, '0')`,
          merchant_id: `case when ${isFound} then '${GLOBEX}' else '${ACME}' end`,
          facts: `'{}'`,
          first_at: 'now()',
          last_at: 'now()',
          status: `case when ${isFound} then 'acknowledged' else 'open' end`,
          assignee: `case when ${isFound} then 'omar' end`,
          assignee_name: `case when ${isFound} then 'Omar' end`,
        },
        to: ROWS,
      })
      const newest = { isBounded: true, found: [59_500, 59_000], hasMore: true }
      const none = { isBounded: true, found: null, hasMore: undefined }
      const all = { found: [59_500, 59_000, 1], hasMore: false }
      for (const status of [null, 'waiting'] as const) {
        expect(await pageOf(list({ status }, { merchantId: GLOBEX }))).toEqual(newest)
        expect(await pageOf(list({ status, assignee: 'omar' }))).toEqual(newest)
        expect(await pageOf(list({ status, assignee: 'nobody' }))).toEqual(none)
      }
      expect(await pageOf(list({ status: 'acknowledged' }))).toEqual(newest)
      // A sample may have one alert, both, or more than there are.
      for (const alerts of [1, 2, 20]) {
        await run(`alter table attention_items alter alert set (n_distinct = ${alerts})`)
        await run('analyze attention_items')
        for (const status of [null, 'waiting'] as const) {
          expect(await pageOf(list({ status, alert: 'charge_stuck' }))).toEqual({ ...all, isBounded: true })
        }
      }
      expect(await pageOf(list({ status: 'resolved' }))).toEqual(none)
      expect(await pageOf(list({ assignee: 'omar' }, { startingAfter: wireId('att', 9_000) }))).toEqual({
        isBounded: true,
        found: [1],
        hasMore: false,
      })
      await sql`insert into merchant_moves (merchant_id, state, move_id, other_cell)
        values (${ACME}, 'left', gen_random_uuid(), 'cell_b')`.execute(world.owner.writer)
      expect(await pageOf(list({ status: 'waiting' }))).toMatchObject(all)
      expect(await pageOf(list({ status: 'acknowledged' }))).toMatchObject(all)
      await sql`delete from merchant_moves`.execute(world.owner.writer)
    },
    FILL_TIMEOUT_MS,
  )
})

describe('the audit log', () => {
  const any = { actor: null, action: null, targets: null } as const
  const list =
    (filter: Partial<Parameters<typeof listAuditRows>[2]>, more: object = {}) =>
    (reader: Parameters<typeof listAuditRows>[0]) =>
      listAuditRows(reader, { ...page, ...more }, { ...any, ...filter })

  test(
    'is searched among as many entries, however many there are',
    async () => {
      await fill({
        table: 'audit_entries',
        columns: {
          id: ID,
          actor_subject: `case when ${isFound} then 'omar' else 'vera' end`,
          actor_name: `'A name'`,
          actor_role: `'operator'`,
          action: `case when ${isFound} then 'charge.resolve' else 'delivery.replay' end`,
          target: `case when ${isFound} then 'ch_' || n else 'wd_' || n end`,
          merchant_id: `case when ${isFound} then '${GLOBEX}' else '${ACME}' end`,
          reason: `'A test.'`,
          before: `'{}'`,
          after: `'{}'`,
          request_id: `'q'`,
          idempotency_key: `'key ' || n`,
          fingerprint: `'\\x00'`,
        },
        to: ROWS,
      })
      const newest = { isBounded: true, found: [59_500, 59_000], hasMore: true }
      const none = { isBounded: true, found: null, hasMore: undefined }
      expect(await pageOf(list({}, { merchantId: GLOBEX }))).toEqual(newest)
      expect(await pageOf(list({ actor: 'omar' }))).toEqual(newest)
      expect(await pageOf(list({ action: 'charge.resolve' }))).toEqual(newest)
      expect(await pageOf(list({ action: 'refund.create' }))).toEqual(none)
      // The index of targets finds the oldest as well.
      const targets = FOUND_AT.map((n) => `ch_${n}`)
      const all = { isBounded: true, found: FOUND_AT.toReversed(), hasMore: false }
      expect(await pageOf(list({ targets }))).toEqual(all)
      expect(await pageOf(list({ targets, actor: 'omar' }, { merchantId: GLOBEX }))).toEqual(all)
      expect(await pageOf(list({ targets, actor: 'vera' }))).toEqual({ ...all, found: [] })
      expect(await pageOf(list({ targets }, { limit: 2 }))).toEqual({
        ...all,
        found: [59_500, 59_000],
        hasMore: true,
      })
    },
    FILL_TIMEOUT_MS,
  )
})

describe('the exhausted deliveries of a type', () => {
  const LANES = 20
  const LAST = LANES * 4_000
  const exhausted = (merchant: string) => ({
    merchant_id: merchant,
    event_id: ID,
    endpoint_id: `'main'`,
    id: ID,
    status: `'exhausted'`,
    created_at: 'now()',
    finished_at: 'now()',
  })
  const event = (merchant: string) => ({
    merchant_id: merchant,
    id: ID,
    position: 'n',
    type: `'invoice.paid'`,
    body: `'{}'`,
  })
  const laneOf = `'m' || n % ${LANES}`
  const paid = { status: 'exhausted', endpoint: null, eventId: null, eventType: 'invoice.paid' } as const
  const list =
    (filter: Partial<DeliveryFilter>, more: object = {}) =>
    (reader: Parameters<typeof listDeliveryRows>[0]) =>
      listDeliveryRows(reader, { ...page, ...more }, { ...paid, ...filter })
  /** Each row passes more steps: those of its lane, and those of all lanes together. */
  const shownOf = (asked: ReturnType<typeof list>) => pageOf(asked, 150_000)

  test(
    'are searched among as many deliveries, however many endpoints have some',
    async () => {
      await run('delete from delivery_attempts')
      await run('delete from deliveries')
      await fill({ table: 'deliveries', columns: exhausted(laneOf), to: LAST })
      for (const n of [7, LAST - 11_000, LAST - 5_000, LAST - 3]) {
        await fill({ table: 'events', columns: event(laneOf), from: n, to: n })
      }
      // Each of the twenty has five hundred of the newest ten thousand.
      expect(await shownOf(list({}))).toEqual({
        isBounded: true,
        found: [LAST - 3, LAST - 5_000],
        hasMore: true,
      })
      expect(await shownOf(list({}, { startingAfter: wireId('wd', LAST - 5_000) }))).toEqual({
        isBounded: true,
        found: [LAST - 11_000],
        hasMore: true,
      })
      expect(await shownOf(list({ eventType: 'invoice.voided' }))).toMatchObject({ found: null })
      // One lane has the whole bound.
      expect(await shownOf(list({}, { merchantId: 'm0' }))).toEqual({
        isBounded: true,
        found: [LAST - 5_000, LAST - 11_000].filter((n) => n % LANES === 0),
        hasMore: false,
      })
    },
    FILL_TIMEOUT_MS,
  )

  test(
    'are not shown behind a time of which an endpoint has more than its share',
    async () => {
      await fill({ table: 'deliveries', columns: exhausted(`'busy'`), from: LAST + 1, to: LAST + 1_000 })
      await fill({ table: 'events', columns: event(`'busy'`), from: LAST + 900, to: LAST + 900 })
      await fill({ table: 'events', columns: event(`'busy'`), from: LAST + 100, to: LAST + 100 })
      expect(await shownOf(list({}))).toEqual({ isBounded: true, found: [LAST + 900], hasMore: true })
      expect(await shownOf(list({}, { startingAfter: wireId('wd', LAST + 900) }))).toMatchObject({
        found: null,
      })
      expect(await shownOf(list({}, { startingAfter: wireId('wd', LAST + 300) }))).toEqual({
        isBounded: true,
        found: [LAST + 100, LAST - 3, LAST - 5_000],
        hasMore: true,
      })
      expect(await shownOf(list({}, { endingBefore: wireId('wd', LAST - 6_000) }))).toMatchObject({
        found: [LAST + 100, LAST - 3, LAST - 5_000],
      })
    },
    FILL_TIMEOUT_MS,
  )
})

/** Charges of one rail, which no payment has. */
const chargesOf = (rail: string, status: string) => ({
  merchant_id: `'${ACME}'`,
  id: ID,
  payment_intent_id: ID,
  rail: `'${rail}'`,
  payer_msisdn: `'${PAYER}'`,
  status: `'${status}'`,
  amount: '100',
  currency: `'XAF'`,
  reference: `'ref-' || n`,
  callback_secret: `'secret-' || n`,
  opened_at: 'now()',
  submit_deadline: 'now()',
})

test(
  'the open charges of a rail are counted in as many rows, however many of another rail are open',
  async () => {
    const BACKLOG = 200_000
    await run('delete from charges')
    await fill({ table: 'charges', columns: chargesOf('up', 'live'), to: 2 })
    const before = await readOpenCharges(world.db.reader, 'up')
    expect(before).toEqual({ counts: [{ status: 'live', count: 2 }], is_cut: false })
    await fill({ table: 'charges', columns: chargesOf('down', 'unconfirmed'), from: 3, to: BACKLOG / 2 })
    await fill({
      table: 'charges',
      columns: chargesOf('up', 'succeeded'),
      from: BACKLOG / 2 + 1,
      to: BACKLOG,
    })
    await fill({ table: 'charges', columns: chargesOf('up', 'live'), from: BACKLOG + 1, to: BACKLOG + 20 })
    const { rows } = await mostOf(({ reader }) => readOpenCharges(reader, 'up'))
    expect(rows).toBeLessThan(65_000)
    // Those that are older than the newest ten thousand are not known to be open.
    const { counts, is_cut } = await readOpenCharges(world.db.reader, 'up')
    expect({ counts, is_cut }).toEqual({ counts: [{ status: 'live', count: 20 }], is_cut: true })
    expect(await readOpenCharges(world.db.reader, 'down')).toEqual({
      counts: [{ status: 'unconfirmed', count: 9_980 }],
      is_cut: true,
    })
  },
  FILL_TIMEOUT_MS,
)

test(
  'the events of a payment are read once, however many refunds were made at the same time',
  async () => {
    const intentId = `pi_${'7'.repeat(32)}` as Id<'pi'>
    const EVENTS = 6_000
    const own = [1, 100, 3_000, 5_999]
    await run('delete from events')
    await fill({
      table: 'events',
      columns: {
        merchant_id: `'${ACME}'`,
        id: ID,
        position: 'n',
        type: `'charge.refunded'`,
        body: `case when n in (${own.join(', ')})
          then '{"data":{"object":{"payment_intent":"${intentId}"}}}' else '{}' end`,
      },
      to: EVENTS,
    })
    const second = (n: number) => START_MS + n * 1_000
    const windows = Array.from({ length: 50 }, (_, n) => ({ fromMs: second(0) + n, untilMs: second(35) + n }))
    const apart = [{ fromMs: second(50), untilMs: second(61) }]
    const find = (reader: Parameters<typeof listEventsOf>[0], asked: typeof windows) =>
      listEventsOf(reader, ACME, intentId, asked.toReversed(), 100)
    const { rows } = await mostOf(({ reader }) => find(reader, [...windows, ...apart]))
    expect(rows).toBeLessThan(2 * EVENTS)
    const numbersIn = async (asked: typeof windows) =>
      (await find(world.db.reader, asked)).map(({ id }) => Number.parseInt(id.slice(-12), 16))
    expect(await numbersIn([...windows, ...apart])).toEqual([5_999, 3_000, 100, 1])
    expect(await numbersIn(apart)).toEqual([5_999])
    expect(await numbersIn([])).toEqual([])
  },
  FILL_TIMEOUT_MS,
)

describe('the sums of days', () => {
  const DAY_MS = 86_400_000
  const PAYMENT_MS = 700
  /** A midnight. The rows are of the day that it begins, and of the next. */
  const BEGUN_MS = Math.floor(START_MS / DAY_MS) * DAY_MS
  const CHARGES = 150_000
  const REFUNDS = 25_000
  const refunds = {
    merchant_id: `'${ACME}'`,
    id: idEach(PAYMENT_MS, BEGUN_MS),
    payment_intent_id: ID,
    status: `'pending'`,
    amount: '1',
    currency: `'XAF'`,
    opened_at: 'now()',
    rail: `'up'`,
    reference: `'refund-' || n`,
    instruction: `'sent'`,
    submit_deadline: 'now()',
    metadata: `'{}'`,
    livemode: 'false',
  }
  const fromSec = BEGUN_MS / 1_000 - 3 * (DAY_MS / 1_000)
  const created = { fromSec, untilSec: fromSec + 10 * (DAY_MS / 1_000) }
  const sum = (
    lists: Parameters<typeof readOpenCharges>[0],
    merchantId: MerchantId | null,
    asked: typeof created = created,
  ) =>
    getFinanceSummary(
      { db: { ...world.db, lists }, clock: () => NOW + 10 * DAY_MS },
      { created: asked, zone: 'utc', merchantId },
      new AbortController().signal,
    )

  test(
    'are read in statements of as many rows, also after days without money',
    async () => {
      await run('delete from charges')
      const charges = { ...chargesOf('up', 'succeeded'), id: idEach(PAYMENT_MS, BEGUN_MS) }
      await fill({ table: 'charges', columns: charges, to: CHARGES })
      await fill({ table: 'refunds', columns: refunds, to: REFUNDS })
      for (const merchantId of [null, ACME]) {
        const { rows } = await mostOf(({ reader }) => sum(reader, merchantId))
        expect(rows).toBeLessThan(300_000)
      }
    },
    FILL_TIMEOUT_MS,
  )

  test('have each row once, and each day once', async () => {
    const paymentsOf = new Map<string, number>()
    for (let n = 1; n <= CHARGES; n += 1) {
      const day = new Date(BEGUN_MS + n * PAYMENT_MS).toISOString().slice(0, 10)
      paymentsOf.set(day, (paymentsOf.get(day) ?? 0) + 1)
    }
    for (const merchantId of [null, ACME]) {
      const { days } = await sum(world.db.reader, merchantId)
      expect(days.map(({ day, payments }) => [day, payments])).toEqual([...paymentsOf])
      const total = (name: 'gross' | 'refunds' | 'refunds_amount') =>
        days.reduce((all, day) => all + day[name], 0)
      expect([total('gross'), total('refunds'), total('refunds_amount')]).toEqual([
        100 * CHARGES,
        REFUNDS,
        REFUNDS,
      ])
    }
  })

  test(
    'end with a refusal after as many rows as a summary has, which fewer days do not',
    async () => {
      const returns = {
        merchant_id: `'${ACME}'`,
        id: idEach(1, BEGUN_MS + 2 * DAY_MS),
        charge_id: ID,
        payment_intent_id: ID,
        amount: '1',
        currency: `'XAF'`,
        opened_at: 'now()',
        rail: `'up'`,
        reference: `'return-' || n`,
        instruction: `'sent'`,
        submit_deadline: 'now()',
      }
      // The sums do not use these, and they double the time of the insert.
      await run('drop index charge_returns_charge, charge_returns_one, charge_returns_intent')
      await fill({ table: 'charge_returns', columns: returns, to: FINANCE_SUMMED_MAX })
      const start = BEGUN_MS / 1_000 + 2 * (DAY_MS / 1_000)
      const end = start + FINANCE_SUMMED_MAX / 1_000
      for (const merchantId of [null, ACME]) {
        const all = sum(world.db.reader, merchantId, { fromSec: start, untilSec: end + 1 })
        await expect(all).rejects.toThrow('must be a shorter range')
        const { days } = await sum(world.db.reader, merchantId, { fromSec: start, untilSec: end - 1 })
        expect(days).toMatchObject([{ returns: FINANCE_SUMMED_MAX - 1_000 - 1 }])
      }
    },
    FILL_TIMEOUT_MS,
  )
})
