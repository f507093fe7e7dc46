import type { CheckoutSession, Customer, EventObjects, Invoice, PaymentIntent, Refund } from './wire.ts'

export const SAMPLE_EVENT_ID = 'evt_019a9f5c2b7e7c41a3d86f0e5b92c7d4'
export const SAMPLE_CREATED_SEC = 1_795_239_742

const base = { metadata: {}, created: SAMPLE_CREATED_SEC, livemode: false }

const intent: PaymentIntent = {
  ...base,
  id: 'pi_019a9f5c1d3a7b62b4f90c8e7a51d6e3',
  object: 'payment_intent',
  amount: 5_000,
  currency: 'XAF',
  status: 'requires_payment_method',
  payment_method_types: ['mtn_momo_cm'],
  customer: null,
  description: null,
  next_action: null,
  last_payment_error: null,
  invoice: null,
  canceled_at: null,
  cancellation_reason: null,
}

const refund: Refund = {
  ...base,
  id: 're_019a9f5c1e8b7c05a1e27d4f6b93c8a2',
  object: 'refund',
  amount: 2_000,
  currency: 'XAF',
  payment_intent: intent.id,
  status: 'pending',
  fee: null,
  reason: null,
  failure_reason: null,
  destination_details: { type: 'mtn_momo_cm' },
}

const session: CheckoutSession = {
  ...base,
  id: 'cs_019a9f5c1f6d7e94b8c13a5d7e20f9b6',
  object: 'checkout.session',
  status: 'expired',
  payment_status: 'unpaid',
  payment_intent: intent.id,
  amount: 5_000,
  currency: 'XAF',
  payment_method_types: ['mtn_momo_cm'],
  customer: null,
  ui_mode: 'hosted',
  url: null,
  success_url: 'https://shop.example/thanks',
  cancel_url: null,
  return_url: null,
  client_reference_id: null,
  expires_at: SAMPLE_CREATED_SEC,
}

const customer: Customer = {
  ...base,
  id: 'cus_019a9f5c20a47f18a6d94b3c8e57f0d1',
  object: 'customer',
  name: 'Ada Example',
  email: null,
  phone: '237600000000',
  address: null,
}

const draft: Invoice = {
  ...base,
  id: 'in_019a9f5c21c97a3db2e58f7c4d06a1b3',
  object: 'invoice',
  status: 'draft',
  number: null,
  customer: customer.id,
  currency: 'XAF',
  subtotal: 0,
  total: 0,
  amount_due: 0,
  amount_paid: 0,
  amount_remaining: 0,
  description: null,
  due_date: null,
  payment_intent: null,
  payment_method_types: ['mtn_momo_cm'],
  lines: {
    object: 'list',
    url: '/v1/invoices/in_019a9f5c21c97a3db2e58f7c4d06a1b3/lines',
    has_more: false,
    data: [],
  },
  status_transitions: { finalized_at: null, paid_at: null, voided_at: null, marked_uncollectible_at: null },
}

const finalized: Invoice = {
  ...draft,
  status: 'open',
  number: '1',
  subtotal: 5_000,
  total: 5_000,
  amount_due: 5_000,
  amount_remaining: 5_000,
  status_transitions: { ...draft.status_transitions, finalized_at: SAMPLE_CREATED_SEC },
}

/** One resource per event type, in the state after the event's transition. */
export const snapshots: EventObjects = {
  'payment_intent.created': intent,
  'payment_intent.processing': { ...intent, status: 'processing' },
  'payment_intent.succeeded': { ...intent, status: 'succeeded' },
  'payment_intent.payment_failed': {
    ...intent,
    last_payment_error: {
      type: 'rail_error',
      code: 'insufficient_funds',
      decline_code: 'NOT_ENOUGH_FUNDS',
      message: 'The payer does not have enough funds.',
      payment_method_type: 'mtn_momo_cm',
    },
  },
  'payment_intent.canceled': { ...intent, status: 'canceled', canceled_at: SAMPLE_CREATED_SEC },
  'charge.refunded': refund,
  'charge.refund.updated': { ...refund, metadata: { reason_code: 'damaged' } },
  'checkout.session.expired': session,
  'customer.created': customer,
  'customer.updated': { ...customer, email: 'ada@shop.example' },
  'customer.deleted': {
    ...customer,
    name: '[redacted]',
    email: '[redacted]',
    phone: '[redacted]',
    address: {
      line1: '[redacted]',
      line2: '[redacted]',
      city: '[redacted]',
      state: '[redacted]',
      postal_code: '[redacted]',
      country: '[redacted]',
      latitude_microdeg: null,
      longitude_microdeg: null,
    },
    deleted: true,
  },
  'invoice.created': draft,
  'invoice.finalized': finalized,
  'invoice.paid': {
    ...finalized,
    status: 'paid',
    amount_paid: 5_000,
    amount_remaining: 0,
    payment_intent: intent.id,
    status_transitions: { ...finalized.status_transitions, paid_at: SAMPLE_CREATED_SEC },
  },
  'invoice.voided': {
    ...finalized,
    status: 'void',
    status_transitions: { ...finalized.status_transitions, voided_at: SAMPLE_CREATED_SEC },
  },
}
