import type { DeclineCode } from '@merchant-payments/contract'
import { type PaymentIntentTable, type Placing, type Reader, statement } from '@merchant-payments/db'
import { type Selectable, sql } from 'kysely'
import type { Attempts } from '../base/attempts.ts'
import { columnsIn, columnsOf } from '../base/columns.ts'
import { isOpenCharge } from '../charges/store.ts'
import { type Find, guarded, ofClient, smallRow } from '../reads/store.ts'
import { type NewRow, newRows } from '../commit/new-rows.ts'
import { inKeys, type Keys, keysOf } from '../base/in-rows.ts'
import { idOf, idOrNull, type MerchantId, type PaymentIntentId, uuidOf, uuidOrNull } from '../base/ids.ts'
import { type ListedTable, listOf } from '../pages/store.ts'
import type { RailCode } from '../rails/port.ts'
import type { Intent, IntentFields, PaymentError } from './intent.ts'

export const intentColumns = [
  'merchant_id',
  'id',
  'amount',
  'currency',
  'status',
  'payment_method_types',
  'customer_id',
  'description',
  'metadata',
  'client_secret',
  'livemode',
  'invoice_id',
  'error_code',
  'error_decline_code',
  'error_message',
  'error_rail',
  'redirect_url',
  'return_url',
  'canceled_at',
  'cancellation_reason',
  'revision',
] as const satisfies readonly (keyof PaymentIntentTable)[]

export type IntentRow = Pick<Selectable<PaymentIntentTable>, (typeof intentColumns)[number]>

export type ListedIntentRow = IntentRow & Pick<Selectable<PaymentIntentTable>, 'refund_reserved'>

export function intentOf(row: IntentRow): Intent {
  const fields: IntentFields = {
    merchantId: row.merchant_id as MerchantId,
    id: idOf('pi', row.id),
    amountMinor: row.amount,
    currency: row.currency,
    paymentMethodTypes: row.payment_method_types as RailCode[],
    customerId: idOrNull('cus', row.customer_id),
    description: row.description,
    metadata: row.metadata,
    storedSecret: row.client_secret,
    livemode: row.livemode,
    invoiceId: idOrNull('in', row.invoice_id),
    lastPaymentError: errorOf(row),
    redirectUrl: row.redirect_url,
    returnUrl: row.return_url,
    canceledAtMs: row.canceled_at,
    cancellationReason: row.cancellation_reason,
    revision: row.revision,
  }
  return { ...fields, status: row.status }
}

/** Expects the intent as `p`. */
export const attemptsOf = sql<Attempts>`(
  select json_build_object(
    'live', count(*) filter (where ${isOpenCharge('c')}),
    'reached', count(*) filter (where c.status <> 'abandoned'),
    'opened', greatest(count(*), max(c.attempt)))
  from charges c where c.merchant_id = p.merchant_id and c.payment_intent_id = p.id
)`

export const intentColumnsOf = (table: string) => columnsOf(table, intentColumns)

export const listedIntents: ListedTable<ListedIntentRow, 'payment_intents'> = {
  table: 'payment_intents',
  columns: [...intentColumns, 'refund_reserved'],
  measured: [
    'payment_method_types',
    'description',
    'metadata',
    'error_decline_code',
    'error_message',
    'redirect_url',
    'return_url',
  ],
}

function errorOf(row: IntentRow): PaymentError | null {
  if (row.error_code === null || row.error_rail === null) return null
  return {
    code: row.error_code as DeclineCode,
    declineCode: row.error_decline_code,
    message: row.error_message,
    rail: row.error_rail as RailCode,
  }
}

export const intentRows = newRows('payment_intents', {
  merchant_id: 'text',
  id: 'uuid',
  amount: 'integer',
  currency: 'text',
  status: 'text',
  payment_method_types: 'text[]',
  customer_id: 'uuid',
  description: 'text',
  metadata: 'jsonb',
  livemode: 'boolean',
  invoice_id: 'uuid',
})

export const newIntentRow = (intent: Intent<'requires_payment_method'>): NewRow<typeof intentRows> => ({
  merchant_id: intent.merchantId,
  id: uuidOf(intent.id),
  amount: intent.amountMinor,
  currency: intent.currency,
  status: intent.status,
  payment_method_types: intent.paymentMethodTypes,
  customer_id: uuidOrNull(intent.customerId),
  description: intent.description,
  metadata: intent.metadata,
  livemode: intent.livemode,
  invoice_id: uuidOrNull(intent.invoiceId),
})

const intentById = smallRow((keyed) =>
  keyed.leftJoin('payment_intents as p', ofClient('p')).select(columnsIn('p', intentColumns)),
)

export const findIntent: Find<'pi', Intent> = async (reader, merchantId, id) =>
  guarded(await intentById(reader, { merchantId, id: uuidOf(id) }), intentOf)

export const listIntents = listOf({ listed: listedIntents, alias: 'p', itemOf: intentOf })

const intentsIn = statement((value: Placing<Keys>, reader) =>
  reader.selectFrom('payment_intents').select(intentColumns).where(inKeys(sql`(merchant_id, id)`, value)),
)

export async function loadIntents(
  reader: Reader,
  of: readonly { readonly merchantId: MerchantId; readonly intentId: PaymentIntentId }[],
): Promise<Map<PaymentIntentId, Intent>> {
  const rows = await intentsIn(
    reader,
    keysOf(of, ({ intentId }) => intentId),
  )
  return new Map(rows.map((row) => [idOf('pi', row.id), intentOf(row)]))
}
