import { setTimeout as delay } from 'node:timers/promises'
import type pg from 'pg'
import { monotonicMs } from './clock.ts'
import { elsewhereOf, readMoves } from './moves.ts'
import { withConnection } from './servers.ts'

/*
 * Rows of which the database says that their rail was not reached. After a restore to an earlier time this proves nothing:
 * the rail may have been instructed since (docs/decisions/0041-a-restore-doubts-what-was-not-sent.md).
 */

type Queries = Pick<pg.Client, 'query'>

const APPLICATION = 'merchant-payments-restored'

/** Also a row of a process whose clock was ahead. The service is not open again so soon. */
const ofThen = `opened_at < $2::timestamptz + interval '1 minute'`
const unsettled = {
  charges: `status = 'submitting' and ${ofThen}`,
  refunds: `status = 'pending' and instruction = 'unsent' and ${ofThen}`,
  charge_returns: `instruction = 'unsent' and ${ofThen}`,
}

export interface Unheld {
  readonly charges: number
  readonly payouts: number
}

/**
 * The rows that `restore:hold` has still to hold. None on a server that was not restored to a time. An unsent payout has a
 * job, and no index has the unsent ones of a large table.
 */
export async function countUnheld(client: Queries): Promise<Unheld> {
  const restoredTo = await readRestoredTo(client)
  if (restoredTo === null) return { charges: 0, payouts: 0 }
  const countPayouts = (table: 'refunds' | 'charge_returns', jobs: string, id: string) => `(
    select count(*) from ${jobs} j cross join lateral (
      select t.merchant_id, t.id from ${table} t
      where t.merchant_id = j.merchant_id and t.id = j.${id} and ${unsettled[table]} offset 0) t
    where j.merchant_id <> all ($1::text[]))`
  const { rows } = await client.query<Unheld>(
    `select (select count(*) from charges where merchant_id <> all ($1::text[]) and ${unsettled.charges})::integer as charges,
      (${countPayouts('refunds', 'refund_jobs', 'refund_id')}
        + ${countPayouts('charge_returns', 'return_jobs', 'return_id')})::integer as payouts`,
    [elsewhereOf(await readMoves(client)), restoredTo],
  )
  return rows[0] ?? { charges: 0, payouts: 0 }
}

/** Null on a server that was not restored to a time, or whose settings of the restore were removed. */
async function readRestoredTo(client: Queries): Promise<string | null> {
  const { rows } = await client.query<{ time: string }>(
    `select current_setting('recovery_target_time') as time`,
  )
  return rows[0]?.time || null
}

/** A fault if `restore:hold` has still to run. */
export const holdFaults = ({ charges, payouts }: Unheld): string[] =>
  charges + payouts === 0
    ? []
    : [
        `the database was restored, and has ${charges} charges and ${payouts} payouts that may have reached their rails since: run "restore:hold"`,
      ]

/** For a process that would decide about such rows without their rails. */
export const findHoldFaults = (url: string): Promise<string[]> =>
  withConnection(url, { application_name: APPLICATION }, async (client) =>
    holdFaults(await countUnheld(client)),
  )

interface HeldRow {
  /** A charge (`ch_`), a refund (`re_`) or a return (`rt_`). */
  readonly object: string
  readonly rail: string
  readonly reference: string
  readonly merchantId: string
}

/** A server that was told to go on takes writes only after its first checkpoint. */
const WRITABLE_MAX_MS = 10 * 60_000
const WRITABLE_EVERY_MS = 500

/**
 * Holds the rows of a restored database, once its server takes writes.
 *
 * @throws if its server was not restored to a time, or stays in recovery
 */
export function holdRestored(url: string): Promise<HeldRow[]> {
  return withConnection(url, { application_name: APPLICATION }, async (client) => {
    const restoredTo = await readRestoredTo(client)
    if (restoredTo === null) throw new Error('the server was not restored: its recovery_target_time is empty')
    await untilWritable(client)
    return holdRows(client, restoredTo)
  })
}

async function untilWritable(client: Queries): Promise<void> {
  const deadlineMs = monotonicMs() + WRITABLE_MAX_MS
  for (;;) {
    const { rows } = await client.query<{ waits: boolean; pauses: boolean }>(
      `select pg_is_in_recovery() as waits,
        case when pg_is_in_recovery() then pg_is_wal_replay_paused() end as pauses`,
    )
    const [state] = rows
    if (state?.pauses === true)
      throw new Error('the server pauses at its restored time: run select pg_wal_replay_resume() first')
    if (state?.waits !== true) return
    if (monotonicMs() > deadlineMs) throw new Error('the server is still in recovery, and takes no writes')
    await delay(WRITABLE_EVERY_MS)
  }
}

/**
 * In one transaction, a charge becomes `unconfirmed` and a payout `sent`: both may be at their rail, which decides nothing
 * about a payment. Leaves the rows of a merchant that lives in another cell.
 */
export async function holdRows(client: Queries, restoredTo: string): Promise<HeldRow[]> {
  const moves = await readMoves(client)
  const frozen = moves.flatMap(({ merchantId, state }) => (state === 'frozen' ? [merchantId] : []))
  await client.query('begin; set local statement_timeout = 0; set local transaction_timeout = 0')
  try {
    const others = [...elsewhereOf(moves), ...frozen]
    const held = await holdOf(client, 'merchant_id <> all ($1::text[])', [others, restoredTo])
    for (const merchantId of frozen) {
      // The fence of the merchant's move lets this one through.
      await client.query(`select set_config('merchant_payments.move', $1, true)`, [merchantId])
      held.push(...(await holdOf(client, 'merchant_id = $1', [merchantId, restoredTo])))
    }
    await client.query('commit')
    return held
  } catch (error) {
    await client.query('rollback').catch(() => undefined)
    throw error
  }
}

async function holdOf(client: Queries, ofMerchants: string, values: unknown[]): Promise<HeldRow[]> {
  // A rail may deny a payout only some time after the last try, which may have been made until now.
  const changes = [
    ['charges', 'ch', `update charges set status = 'unconfirmed', revision = revision + 1`],
    [
      'refunds',
      're',
      `update refunds set instruction = 'sent', submit_deadline = now(), revision = revision + 1`,
    ],
    [
      'charge_returns',
      'rt',
      `update charge_returns set instruction = 'sent', submit_deadline = now(), revision = revision + 1`,
    ],
  ] as const
  const held: HeldRow[] = []
  for (const [table, prefix, change] of changes) {
    const { rows } = await client.query<HeldRow>(
      `${change} where ${ofMerchants} and ${unsettled[table]}
        returning '${prefix}_' || replace(id::text, '-', '') as object, rail, reference, merchant_id as "merchantId"`,
      values,
    )
    held.push(...rows)
  }
  return held
}
