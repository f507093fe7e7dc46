import { createRandom, type Random } from '@merchant-payments/testing/random'
import { soakOf } from '@merchant-payments/testing/soaks'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { StatementId } from '../src/index.ts'
import { HOUR_MS, type Line, NOW_MS, START_MS, statementDays } from './statement-days.ts'
import { openWorld } from './world.ts'

const { size: ORDERS, seed: SEED } = soakOf('statementOrders')
const ORDER_TIMEOUT_MS = 20_000
const STEPS = 14
const PAYMENTS = 4
const days = [0, 1, 3, 4, 8, 12]
const daysOfPayments = days.slice(0, 3)
/** Compared at the end, without lines. They read each payment, because those of three days before are read too. */
const lastDays = [2, 5]

const world = await openWorld()
const { begin, change, clear, close, compare, live, miscounted, open, reopen } = statementDays(world)
beforeAll(() => {
  world.nowMs = NOW_MS
})
afterAll(() => world.stop())
beforeEach(clear)

interface Payment {
  readonly reference: string
  readonly kind: 'charge' | 'payout'
  readonly day: number
  readonly at: string
  isPaid: boolean
}

async function make(random: Random, n: number): Promise<Payment> {
  const kind = random.chance(1 / 3) ? 'payout' : 'charge'
  const day = random.pick(daysOfPayments)
  const openedMs = START_MS + (24 * day + random.int(1, 20)) * HOUR_MS
  await open(kind === 'charge' ? 'charges' : 'refunds', n, openedMs)
  return { reference: `r${n}`, kind, day, at: new Date(openedMs).toISOString(), isPaid: false }
}

/** Its rail reports that it is paid, and names the transaction T1 of it. */
async function pay(payment: Payment): Promise<void> {
  const { kind, reference, at, isPaid } = payment
  if (isPaid) return
  payment.isPaid = true
  await change((tx) =>
    kind === 'charge'
      ? sql`update charges set status = 'succeeded', rail_txn_id = ${`T1-${reference}`}, settled_at = ${at}
          where reference = ${reference}`.execute(tx)
      : sql`update refunds set instruction = 'accepted' where reference = ${reference}`.execute(tx),
  )
}

/** Lines of a day: none, one or two of each payment, of one transaction or of several, in either case. */
const linesOf = (random: Random, day: number, payments: readonly Payment[]): Line[] =>
  payments
    .filter((payment) => payment.day <= day)
    .flatMap(({ kind, reference }) =>
      Array.from({ length: random.pick([0, 0, 1, 1, 2]) }, () => {
        const transaction = random.pick(['T1', 't1', 'T2', 'T3'])
        // As Orange Money writes them. The charge is found by the transaction that its rail names.
        const isBare = kind === 'charge' && /t1/i.test(transaction) && random.chance(1 / 3)
        return { kind, reference: isBare ? null : reference, transactionId: `${transaction}-${reference}` }
      }),
    )

type Status = 'reading' | 'matched' | 'closed'

/** The statements of the days, each uploaded, compared, closed and reopened in a random order. */
function createDays(random: Random, payments: readonly Payment[]) {
  const statements = new Map<number, { readonly id: StatementId; status: Status }>()
  const those = (status: Status) => [...statements.values()].filter((one) => one.status === status)
  const finish = async (some: ReturnType<typeof those>) => {
    await Promise.all(some.map(({ id }) => compare(id)))
    for (const one of some) one.status = 'matched'
  }
  const upload = async (day: number, lines: readonly Line[]) => {
    if (statements.get(day)?.status === 'closed') return
    statements.set(day, { id: await begin(day, lines), status: 'reading' })
  }
  const closeOne = async (one: ReturnType<typeof those>[number]) => {
    await close(one.id)
    one.status = 'closed'
  }
  const reopenOne = async (one: ReturnType<typeof those>[number]) => {
    await reopen(one.id)
    one.status = 'matched'
  }
  return {
    step: async (): Promise<void> => {
      const draw = random.int(1, 13)
      if (draw <= 7) {
        const day = random.pick(days)
        await upload(day, linesOf(random, day, payments))
        const made = statements.get(day)
        if (draw <= 5 && made?.status === 'reading') await finish([made])
      } else if (draw === 8) await finish(those('reading'))
      else if (draw === 9) for (const one of those('matched').slice(0, 1)) await closeOne(one)
      else if (draw === 10) for (const one of those('closed').slice(0, 1)) await reopenOne(one)
      else if (draw === 11) await live(random.pick(['here', 'arriving', 'left'] as const))
      else await pay(random.pick(payments))
    },
    end: async (): Promise<void> => {
      await live('here')
      await finish(those('reading'))
      for (const one of those('closed')) await reopenOne(one)
      for (const payment of payments) await pay(payment)
      for (const day of lastDays) await upload(day, [])
      await finish(those('reading'))
    },
    wasUploaded: (day: number) => statements.has(day),
  }
}

interface Row {
  readonly day: string
  readonly verdict: string | null
  readonly reference: string | null
  readonly transaction_id: string | null
  /** Null for a row that the file does not have. */
  readonly amount: number | null
}

/** The faults of a payment's rows in the statements that are in force. */
function faultsOf({ reference }: Payment, all: readonly Row[], isDue: boolean): string[] {
  const transaction = `t1-${reference}`
  const rows = all.filter(
    (row) => row.reference === reference || row.transaction_id?.toLowerCase() === transaction,
  )
  const lines = rows.filter(({ amount }) => amount !== null)
  const listing = lines.filter(({ verdict }) => verdict === 'matched')
  const missing = rows.filter(({ verdict }) => verdict === 'ours_only')
  const movements = new Set(listing.map((line) => line.transaction_id?.toLowerCase()))
  const rules = {
    'has a line without a verdict': lines.some(({ verdict }) => verdict === null),
    'has lines, and none lists it': listing.length === 0 && lines.some((line) => line.reference !== null),
    'is listed by two movements': movements.size > 1,
    'is listed twice in a statement': new Set(listing.map(({ day }) => day)).size < listing.length,
    'is listed and missing': listing.length > 0 && missing.length > 0,
    'is missing twice': missing.length > 1,
    'is in no statement': isDue && lines.length === 0 && missing.length === 0,
  }
  return Object.entries(rules).flatMap(([rule, isBroken]) => (isBroken ? [`${reference} ${rule}`] : []))
}

const orders = Array.from({ length: ORDERS }, (_, n) => SEED + n)

test.each(orders)(
  'a payment is listed or missing once, in any order (seed %i)',
  async (seed) => {
    const random = createRandom(seed)
    const payments: Payment[] = []
    for (let n = 1; n <= PAYMENTS; n += 1) {
      const payment = await make(random, n)
      if (random.chance(1 / 2)) await pay(payment)
      payments.push(payment)
    }
    const statements = createDays(random, payments)
    for (let n = 0; n < STEPS; n += 1) await statements.step()
    await statements.end()

    const { rows } = await sql<Row>`
    select s.day::text, r.verdict, r.reference, r.transaction_id, r.amount
    from statements s join statement_rows r on r.statement_id = s.id where s.status <> 'replaced'`.execute(
      world.owner.writer,
    )
    expect(
      payments.flatMap((payment) => faultsOf(payment, rows, statements.wasUploaded(payment.day))),
    ).toEqual([])
    expect(await miscounted()).toEqual([])
  },
  ORDER_TIMEOUT_MS,
)
