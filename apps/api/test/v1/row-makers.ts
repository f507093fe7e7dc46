import { idOf, mintId, uuidOf } from '@merchant-payments/core'
import { instant, type Tx } from '@merchant-payments/db'

/** Writes many rows of a list at once, of the smallest size. */
export interface RowMaker {
  readonly prefix: Parameters<typeof mintId>[0]
  readonly insert: (tx: Tx, merchant: string, uuids: readonly string[]) => Promise<void>
  readonly remove: (tx: Tx, uuids: readonly string[]) => Promise<void>
  /** Lists are ordered by id alone, so a row can come between two others, and a cursor can outlive its row. */
  readonly isOrderedById: boolean
}

const FIRST_MS = 1_700_000_000_000
const AT = instant(FIRST_MS)

const intentsOf = (merchant: string, uuids: readonly string[]) =>
  uuids.map((id) => ({
    merchant_id: merchant,
    id,
    amount: 1,
    currency: 'XAF' as const,
    status: 'requires_payment_method' as const,
    payment_method_types: ['mtn_momo_cm'],
    metadata: '{}',
    client_secret: `${id}_secret`,
    livemode: false,
  }))

const sessionOf = (merchant: string, id: string, intent: string) => ({
  merchant_id: merchant,
  id,
  payment_intent_id: intent,
  status: 'open' as const,
  client_secret: `${id}_secret`,
  ui_mode: 'embedded' as const,
  metadata: '{}',
  livemode: false,
  expires_at: AT,
})

/** Rows are inserted in the order of their commits. */
let position = 0

const eventOf = (merchant: string, uuid: string) => {
  const [id, type] = [idOf('evt', uuid), 'payment_intent.canceled'] as const
  const body = JSON.stringify({
    id,
    object: 'event',
    type,
    created: 1,
    livemode: false,
    data: { object: {} },
  })
  position += 1
  return { merchant_id: merchant, id: uuid, type, body, position }
}

const customerOf = (merchant: string, id: string) => ({
  merchant_id: merchant,
  id,
  name: 'Awa',
  metadata: '{}',
  livemode: false,
  last_used_at: AT,
})

const invoiceOf = (merchant: string, id: string, customer: string) => ({
  merchant_id: merchant,
  id,
  status: 'draft' as const,
  customer_id: customer,
  currency: 'XAF' as const,
  total: 0,
  line_count: 0,
  payment_method_types: [],
  metadata: '{}',
  livemode: false,
})

/** A failed refund reserves nothing. The types let code insert only pending ones. */
const failed = {
  status: 'failed' as 'pending',
  instruction: 'refused' as 'sent',
  failure_reason: 'declined',
} as const

const refundOf = (merchant: string, id: string, intent: string) => ({
  ...failed,
  merchant_id: merchant,
  id,
  payment_intent_id: intent,
  amount: 1,
  currency: 'XAF' as const,
  metadata: '{}',
  livemode: false,
  opened_at: AT,
  rail: 'mtn_momo_cm',
  reference: id,
  submit_deadline: AT,
})

export async function insertRefundsOf(tx: Tx, merchant: string, intent: string, uuids: readonly string[]) {
  await tx
    .insertInto('payment_intents')
    .values(intentsOf(merchant, [intent]))
    .execute()
  await tx
    .insertInto('refunds')
    .values(uuids.map((id) => refundOf(merchant, id, intent)))
    .execute()
}

/** By the id of the list's operation. A new list requires an entry here. */
export const rowMakers: Readonly<Record<string, RowMaker>> = {
  'paymentIntents.list': {
    prefix: 'pi',
    isOrderedById: true,
    insert: async (tx, merchant, uuids) => {
      await tx.insertInto('payment_intents').values(intentsOf(merchant, uuids)).execute()
    },
    remove: async (tx, uuids) => {
      await tx.deleteFrom('payment_intents').where('id', 'in', uuids).execute()
    },
  },
  'checkout.sessions.list': {
    prefix: 'cs',
    isOrderedById: true,
    insert: async (tx, merchant, uuids) => {
      const intents = uuids.map(() => uuidOf(mintId('pi', FIRST_MS)))
      await tx.insertInto('payment_intents').values(intentsOf(merchant, intents)).execute()
      const sessions = uuids.map((id, n) => sessionOf(merchant, id, intents[n] ?? ''))
      await tx.insertInto('checkout_sessions').values(sessions).execute()
    },
    remove: async (tx, uuids) => {
      await tx.deleteFrom('checkout_sessions').where('id', 'in', uuids).execute()
    },
  },
  'customers.list': {
    prefix: 'cus',
    isOrderedById: true,
    insert: async (tx, merchant, uuids) => {
      await tx
        .insertInto('customers')
        .values(uuids.map((id) => customerOf(merchant, id)))
        .execute()
    },
    remove: async (tx, uuids) => {
      await tx.deleteFrom('customers').where('id', 'in', uuids).execute()
    },
  },
  'refunds.list': {
    prefix: 're',
    isOrderedById: true,
    insert: async (tx, merchant, uuids) => {
      const intents = uuids.map(() => uuidOf(mintId('pi', FIRST_MS)))
      await tx.insertInto('payment_intents').values(intentsOf(merchant, intents)).execute()
      const refunds = uuids.map((id, n) => refundOf(merchant, id, intents[n] ?? ''))
      await tx.insertInto('refunds').values(refunds).execute()
    },
    remove: async (tx, uuids) => {
      await tx.deleteFrom('refunds').where('id', 'in', uuids).execute()
    },
  },
  'invoices.list': {
    prefix: 'in',
    isOrderedById: true,
    insert: async (tx, merchant, uuids) => {
      const customer = uuidOf(mintId('cus', FIRST_MS))
      await tx.insertInto('customers').values(customerOf(merchant, customer)).execute()
      const invoices = uuids.map((id) => invoiceOf(merchant, id, customer))
      await tx.insertInto('invoices').values(invoices).execute()
    },
    remove: async (tx, uuids) => {
      await tx.deleteFrom('invoices').where('id', 'in', uuids).execute()
    },
  },
  'events.list': {
    prefix: 'evt',
    isOrderedById: false,
    insert: async (tx, merchant, uuids) => {
      await tx
        .insertInto('events')
        .values(uuids.map((uuid) => eventOf(merchant, uuid)))
        .execute()
    },
    remove: async (tx, uuids) => {
      await tx.deleteFrom('events').where('id', 'in', uuids).execute()
    },
  },
}
