export {
  BrowserIntent,
  BrowserSession,
  confirmIntentInBrowser,
  retrieveAccountHolderInBrowser,
  retrieveIntentInBrowser,
  retrieveSessionInBrowser,
} from './browser.ts'
export {
  CheckoutSession,
  createCheckoutSession,
  expireCheckoutSession,
  listCheckoutSessions,
  type PaymentStatus,
  retrieveCheckoutSession,
  type SessionStatus,
  type UiMode,
} from './checkout-sessions.ts'
export { AccountHolder, accountHolderQuery, retrieveAccountHolder } from './account-holders.ts'
export { currencies, type Currency, currencyDigits, isCurrency } from './currency.ts'
export {
  createCustomer,
  Customer,
  deleteCustomer,
  DeletedCustomer,
  listCustomers,
  retrieveCustomer,
  updateCustomer,
} from './customers.ts'
export { type DeclineCode, declineCodes, declineMessages } from './declines.ts'
export { type ErrorCode, type ErrorEnvelope, type ErrorKind, errorKinds, Refusal } from './errors.ts'
export { listEvents, retrieveEvent } from './event-operations.ts'
export {
  Event,
  type EventType,
  eventTypes,
  type UnwrittenEventType,
  type WrittenEventType,
} from './events.ts'
export {
  idPattern,
  LIST_LIMIT_DEFAULT,
  LIST_LIMIT_MAX,
  METADATA_KEYS_MAX,
  type SecondsRange,
} from './form.ts'
export {
  createInvoiceItem,
  deleteInvoiceItem,
  InvoiceItem,
  retrieveInvoiceItem,
  updateInvoiceItem,
} from './invoice-items.ts'
export {
  createInvoice,
  deleteInvoice,
  finalizeInvoice,
  Invoice,
  INVOICE_LINES_MAX,
  type InvoiceStatus,
  invoiceStatuses,
  listInvoices,
  markInvoiceUncollectible,
  payInvoice,
  retrieveInvoice,
  updateInvoice,
  voidInvoice,
} from './invoices.ts'
export { type List, listOf } from './list.ts'
export { methodsOf, type Operation, type Surface } from './operation.ts'
export {
  type CancellationReason,
  cancellationReasons,
  cancelPaymentIntent,
  confirmPaymentIntent,
  createPaymentIntent,
  type IntentStatus,
  intentStatuses,
  listPaymentIntents,
  PaymentIntent,
  retrievePaymentIntent,
} from './payment-intents.ts'
export {
  cancelRefund,
  createRefund,
  listRefunds,
  Refund,
  type RefundFailure,
  type RefundReason,
  type RefundStatus,
  refundStatuses,
  retrieveRefund,
  updateRefund,
} from './refunds.ts'
