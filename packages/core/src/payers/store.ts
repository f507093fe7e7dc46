import type { CheckoutSessionTable, Reader } from '@merchant-payments/db'
import { type RawBuilder, type Selectable, sql } from 'kysely'
import { sessionColumns, sessionOf } from '../checkout-sessions/store.ts'
import type { Session } from '../checkout-sessions/session.ts'
import { columnsIn } from '../base/columns.ts'
import type { Guarded } from '../base/client-status.ts'
import {
  type CheckoutSessionId,
  type MerchantId,
  parseId,
  type PaymentIntentId,
  uuidOf,
} from '../base/ids.ts'
import type { Intent } from '../payment-intents/intent.ts'
import { intentColumns, type IntentRow, intentOf } from '../payment-intents/store.ts'
import type { RailCode } from '../rails/port.ts'
import { guarded, type KeyedSelect, oneRow } from '../reads/store.ts'
import { isOpenCharge } from '../charges/store.ts'
import type { ShownCharges } from './render.ts'

export interface Payable {
  readonly intent: Intent
  readonly session: Session | null
  readonly charges: ShownCharges
}

const payableOf = (keyed: KeyedSelect, intentId: RawBuilder<string>) =>
  keyed
    .leftJoin('payment_intents as p', (join) =>
      join.onRef('p.merchant_id', '=', 'client.merchant_id').on('p.id', '=', intentId),
    )
    .leftJoin('checkout_sessions as s', (join) =>
      join.onRef('s.merchant_id', '=', 'p.merchant_id').onRef('s.payment_intent_id', '=', 'p.id'),
    )
    .leftJoin('charges as c', (join) =>
      join
        .onRef('c.merchant_id', '=', 'p.merchant_id')
        .onRef('c.payment_intent_id', '=', 'p.id')
        .on(isOpenCharge('c')),
    )
    .leftJoin('charges as paid', (join) =>
      join
        .onRef('paid.merchant_id', '=', 'p.merchant_id')
        .onRef('paid.payment_intent_id', '=', 'p.id')
        .on(sql<boolean>`paid.status = 'succeeded'`),
    )
    .select(['c.rail as live_rail', 'c.opened_at as live_since', 'c.payer_msisdn as live_msisdn'])
    .select(['paid.rail as paid_rail', 'paid.settled_at as paid_at', 'paid.rail_txn_id as paid_txn_id'])
    .select(['paid.payer_msisdn as paid_msisdn'])
    // Under names of their own: a session and its intent share some.
    .select(sessionColumns.map((column) => sql.ref(`s.${column}`).as(`session_${column}`)))
    .select(columnsIn('p', intentColumns))

const payableByIntent = oneRow((keyed) => payableOf(keyed, sql<string>`client.id`))
const payableBySession = oneRow((keyed) =>
  payableOf(
    keyed,
    sql<string>`(
      select s.payment_intent_id from checkout_sessions s
      where s.merchant_id = client.merchant_id and s.id = client.id)`,
  ),
)

export async function findPayable(
  reader: Reader,
  merchantId: MerchantId,
  id: PaymentIntentId | CheckoutSessionId,
): Promise<Guarded<Payable | undefined>> {
  const read = parseId('cs', id) === null ? payableByIntent : payableBySession
  const row = await read(reader, { merchantId, id: uuidOf(id) })
  const { live_rail: liveRail, live_since: openedAtMs } = row
  const { paid_rail: paidRail, paid_at: settledAtMs, paid_txn_id: railTxnId } = row
  return guarded(row, (intent: IntentRow) => ({
    intent: intentOf(intent),
    session: sessionIn(intent, row),
    charges: {
      live:
        liveRail === null || openedAtMs === null
          ? null
          : { rail: liveRail as RailCode, openedAtMs, payerMsisdn: row.live_msisdn },
      succeeded:
        paidRail === null || settledAtMs === null
          ? null
          : { rail: paidRail as RailCode, settledAtMs, railTxnId, payerMsisdn: row.paid_msisdn },
    },
  }))
}

function sessionIn(
  { amount, currency, payment_method_types }: IntentRow,
  row: Readonly<Record<string, unknown>>,
): Session | null {
  if (row['session_id'] === null) return null
  const session = Object.fromEntries(sessionColumns.map((column) => [column, row[`session_${column}`]]))
  return sessionOf({
    ...(session as Selectable<CheckoutSessionTable>),
    amount,
    currency,
    payment_method_types,
  })
}
