import { sql } from 'kysely'
import {
  addPart,
  closeStatement,
  compareStatement,
  createStatement,
  parseId,
  reopenStatement,
  type StatementId,
} from '../src/index.ts'
import { ACME, PUSH } from './make.ts'
import type { World } from './world.ts'

const DAY_MS = 86_400_000
export const HOUR_MS = 3_600_000
export const START_MS = Date.parse('2026-03-05T00:00:00Z')
/** After all days. */
export const NOW_MS = START_MS + 60 * DAY_MS

export const dayOf = (n: number): string => new Date(START_MS + n * DAY_MS).toISOString().slice(0, 10)

export interface Line {
  readonly reference: string | null
  readonly transactionId: string | null
  readonly kind?: 'charge' | 'payout'
  readonly amountMinor?: number
}

const by = { staff: { subject: 's', name: 'n', role: 'operator' }, requestId: 'r' } as const
let requests = 0
const request = () => {
  requests += 1
  return {
    ...by,
    reason: 'test',
    requestId: `q${requests}`,
    key: `k${requests}`,
    fingerprint: Buffer.from('ab', 'hex'),
  }
}

/** Statements of UTC days, which are numbered from the first, and their payments. */
export const statementDays = (world: World) => {
  const change = (work: (tx: Parameters<Parameters<World['owner']['transact']>[0]>[0]) => Promise<unknown>) =>
    world.owner.transact(async (tx) => {
      await sql`set local session_replication_role = replica`.execute(tx)
      await work(tx)
    })

  /** A payment of 100 XAF that is not paid yet, under the reference r1, r2 and so on. */
  const open = async (table: 'charges' | 'refunds', n = 1, openedMs = START_MS + HOUR_MS): Promise<void> => {
    const reference = `r${n}`
    const id = `${openedMs.toString(16).padStart(12, '0')}70008${String(n).padStart(15, '0')}`
    const at = new Date(openedMs).toISOString()
    await change((tx) =>
      table === 'charges'
        ? sql`
          insert into charges (merchant_id, id, payment_intent_id, rail, status, amount, currency, reference, opened_at,
            submit_deadline)
          values (${ACME}, ${id}::uuid, ${id}::uuid, ${PUSH}, 'live', 100, 'XAF', ${reference}, ${at}, ${at})`.execute(
            tx,
          )
        : sql`
          insert into refunds (merchant_id, id, payment_intent_id, status, amount, currency, metadata, livemode, opened_at,
            rail, reference, instruction, submit_deadline)
          values (${ACME}, ${id}::uuid, ${id}::uuid, 'pending', 100, 'XAF', '{}', false, ${at}, ${PUSH}, ${reference}, 'sent',
            ${at})`.execute(tx),
    )
  }

  /** The charge becomes paid so many hours into the first day. */
  const settle = (
    hours: number,
    status: 'succeeded' | 'duplicate' = 'succeeded',
    transaction: string | null = 'T1',
  ) =>
    change((tx) =>
      sql`
        update charges set status = ${status}, rail_txn_id = ${transaction},
          settled_at = ${new Date(START_MS + hours * HOUR_MS).toISOString()}`.execute(tx),
    )

  /** Whether the merchant lives here, or in another cell while some of its rows are here. */
  const live = (state: 'here' | 'arriving' | 'left') =>
    change(async (tx) => {
      await sql`delete from merchant_moves`.execute(tx)
      if (state === 'here') return
      await sql`insert into merchant_moves (merchant_id, state, move_id, other_cell)
        values (${ACME}, ${state}, gen_random_uuid(), 'b')`.execute(tx)
    })

  const begin = async (day: number, lines: readonly Line[]): Promise<StatementId> => {
    world.nowMs += 1_000
    const made = await createStatement(world, request(), { rail: PUSH, day: dayOf(day), offsetSec: 0 })
    const id = parseId('st', made.entry.target) as StatementId
    const money = lines.map((line, offset) => ({
      offset,
      kind: 'charge' as const,
      amountMinor: 100,
      currency: 'XAF',
      atMs: START_MS + day * DAY_MS,
      ...line,
    }))
    await addPart(world, id, { number: 0, heads: ['x'], lines: lines.length, money })
    return id
  }

  const compare = async (id: StatementId): Promise<void> => {
    while ((await compareStatement(world, by, id, 1)).answer.status === 'matching');
  }

  return {
    change,
    open,
    settle,
    live,
    begin,
    compare,
    upload: async (day: number, ...lines: Line[]): Promise<StatementId> => {
      const id = await begin(day, lines)
      await compare(id)
      return id
    },
    close: (id: StatementId) => closeStatement(world, request(), id, {}),
    reopen: (id: StatementId) => reopenStatement(world, request(), id),
    clear: () =>
      change(async (tx) => {
        for (const table of [
          'statement_rows',
          'statements',
          'charges',
          'refunds',
          'charge_returns',
          'merchant_moves',
        ]) {
          await sql`delete from ${sql.table(table)}`.execute(tx)
        }
      }),
    /** The rows of statements in force, but those that were found later: as their counts have them. */
    shown: async (): Promise<string[]> => {
      const { rows } = await sql<{ day: string; verdict: string | null; object: string | null }>`
        select s.day::text, r.verdict, r.object from statements s join statement_rows r on r.statement_id = s.id
        where s.status <> 'replaced' and r.verdict is distinct from 'found_later' order by s.day, r.n`.execute(
        world.owner.writer,
      )
      return rows.map(
        ({ day, verdict, object }) => `${day} ${verdict}${object === null ? ', of nothing' : ''}`,
      )
    },
    /** Days whose counts are not those of their rows. */
    miscounted: async (): Promise<string[]> => {
      const { rows } = await sql<{ day: string }>`
        select s.day::text from statements s cross join lateral (
          select count(*) filter (where verdict = 'matched') as matched, count(*) filter (where verdict = 'ours_only') as ours_only,
            count(*) filter (where verdict = 'theirs_only') as theirs_only, count(*) filter (where verdict = 'duplicate') as duplicate,
            count(*) filter (where verdict = 'amount_differs') as amount_differs
          from statement_rows r where r.statement_id = s.id) c
        where s.status <> 'replaced' and (s.matched, s.ours_only, s.theirs_only, s.amount_differs, s.duplicate)
          is distinct from (c.matched, c.ours_only, c.theirs_only, c.amount_differs, c.duplicate)`.execute(
        world.owner.writer,
      )
      return rows.map(({ day }) => day)
    },
  }
}
