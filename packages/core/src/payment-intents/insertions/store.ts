import type { Writer } from '@merchant-payments/db'
import { sql } from 'kysely'
import { type HeldRows, lockWait } from '../../commit/held-rows.ts'
import { type Answer, identityOfClaim, type KeyClaim } from '../../commit/key.ts'
import type { SharedWrite } from '../../commit/writes.ts'
import { claimColumns, claimFields, claimKeys } from '../../commit/claim-keys.ts'
import { uuidOf } from '../../base/ids.ts'
import type { Intent } from '../intent.ts'
import { type Insertion, insertionOf } from '../store.ts'

/** A new intent that names no customer, and the request that it answers. */
export interface PlainInsertion {
  readonly claim: KeyClaim
  readonly intent: Intent<'requires_payment_method'>
  readonly answer: Omit<Answer, 'replayed'>
  readonly nowMs: number
}

/** Intents of one statement. */
export const INSERTIONS_MAX = 64

/**
 * Writes the intents of several requests with their answers, as `insertIntent` does one. They name no customer: the
 * statement waits for no lock but of another request with one of its keys, which it takes in their order, so that no two
 * statements wait for each other. No two insertions may have one key.
 *
 * @returns for each insertion, in order, what came of it
 */
export async function insertIntents(
  writer: Writer,
  insertions: readonly PlainInsertion[],
  held: HeldRows = 'wait',
): Promise<Insertion[]> {
  if (insertions.length > INSERTIONS_MAX) throw new RangeError('too many intents in one statement')
  const nowMs = Math.max(...insertions.map((insertion) => insertion.nowMs))
  const rows = JSON.stringify(insertions.map(insertionRecord))
  const result = await sql<{ n: number; open: boolean; inserted: boolean }>`
    with t as materialized (
      select t.*, not exists (select 1 from disabled_clients where client_id = t.merchant_id) as open
      from jsonb_to_recordset(${rows}::jsonb) as t (
        n integer, merchant_id text, ${sql.raw(claimColumns)}, id uuid, amount integer, currency text, payment_method_types text[],
        description text, metadata jsonb, livemode boolean)${lockWait(held)}
    ),
    k as (${claimKeys({ from: sql`t c where c.open`, customer: sql`null::uuid`, nowMs })}),
    p as (
      insert into payment_intents
        (merchant_id, id, amount, currency, status, payment_method_types, description, metadata, livemode)
      select merchant_id, id, amount, currency, 'requires_payment_method', payment_method_types, description, metadata,
        livemode
      from t where (merchant_id, scope, key) in (select merchant_id, scope, key from k)
      returning id
    )
    select n, open, id in (select id from p) as inserted from t`.execute(writer)
  const found = new Map(result.rows.map((row) => [row.n, row]))
  return insertions.map((_, n) => {
    const row = found.get(n)
    return insertionOf(row && { ...row, named: null, erased: null })
  })
}

const insertionRecord = ({ claim, intent, answer, nowMs }: PlainInsertion, n: number) => ({
  n,
  merchant_id: claim.merchantId,
  ...claimFields(claim, answer, nowMs),
  id: uuidOf(intent.id),
  amount: intent.amountMinor,
  currency: intent.currency,
  payment_method_types: intent.paymentMethodTypes,
  description: intent.description,
  metadata: intent.metadata,
  livemode: intent.livemode,
})

/** Creates of intents that arrive together and name no customer. */
export const intentInsertions: SharedWrite<PlainInsertion, Insertion> = {
  write: insertIntents,
  identityOf: ({ claim }) => identityOfClaim(claim),
  ownerOf: ({ claim }) => claim.merchantId,
  itemsMax: INSERTIONS_MAX,
}
