import type pg from 'pg'
import { type AuditHead, verifyAuditChain } from './audit-chain.ts'
import { findMoneyFaults } from './money.ts'
import { elsewhereOf, type MerchantMove, readMoves } from './moves.ts'
import { verifySchema } from './migrations/migrate.ts'
import { countUnheld, holdFaults, type Unheld } from './restored.ts'
import { withConnection } from './servers.ts'
import { beginSnapshot } from './snapshot.ts'

/** What a restored database holds: the last things that happened before its point in time. */
interface RestoredState {
  readonly faults: readonly string[]
  readonly audit: AuditHead | null
  /** Null if there is none. */
  readonly lastChargeAt: Date | null
  readonly lastRefundAt: Date | null
  /** Those that the worker will ask the rails about. */
  readonly openCharges: number
  readonly openPayouts: number
  readonly moves: readonly MerchantMove[]
  /** Those of which nothing is known until `restore:hold` has run. */
  readonly unheld: Unheld
}

/**
 * Checks a restored database before anything runs on it: its set of migrations, the audit log's chain, the rules of the
 * ledger, and what is still to be held. It writes nothing, so it works while the server pauses at its recovery target.
 */
export async function verifyRestore(url: string, noted: readonly AuditHead[]): Promise<RestoredState> {
  const differences = await verifySchema(url)
  const verdict = await verifyAuditChain(url, noted)
  return withConnection(url, { application_name: 'merchant-payments-restore-verify' }, async (client) => {
    await beginSnapshot(client)
    const moves = await readMoves(client)
    const elsewhere = elsewhereOf(moves)
    const money = await findMoneyFaults(client, elsewhere)
    const unheld = await countUnheld(client)
    // A server in recovery, such as one that pauses at its target, takes no writes, so nothing can be held yet.
    const holding = (await isRecovering(client)) ? [] : holdFaults(unheld)
    return {
      faults: [...differences, ...(verdict.intact ? [] : [verdict.fault]), ...money, ...holding],
      audit: verdict.intact ? verdict.head : null,
      moves,
      unheld,
      ...(await readLast(client, elsewhere)),
    }
  })
}

async function isRecovering(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query<{ recovers: boolean }>('select pg_is_in_recovery() as recovers')
  return rows[0]?.recovers === true
}

type Last = Omit<RestoredState, 'faults' | 'audit' | 'moves' | 'unheld'>

async function readLast(client: pg.Client, elsewhere: readonly string[]): Promise<Last> {
  const { rows } = await client.query<Last>(
    `select
    (select max(opened_at) from charges) as "lastChargeAt",
    (select max(opened_at) from refunds) as "lastRefundAt",
    (select count(*)::integer from charges
      where merchant_id <> all ($1::text[]) and status in ('submitting', 'live', 'unconfirmed')) as "openCharges",
    ((select count(*) from refunds
        where merchant_id <> all ($1::text[]) and status = 'pending' and instruction in ('unsent', 'sent'))
      + (select count(*) from charge_returns
        where merchant_id <> all ($1::text[]) and instruction in ('unsent', 'sent')))::integer as "openPayouts"`,
    [elsewhere],
  )
  const [row] = rows
  if (row === undefined) throw new Error('PostgreSQL answered without a row')
  return row
}
