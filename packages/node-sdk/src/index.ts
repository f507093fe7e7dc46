export type { AccountHolder, AccountHolderRetrieveParams, AccountHolders } from './account-holders.ts'
export { allowInsecureBaseUrl } from './base-url.ts'
export type {
  CheckoutPaymentStatus,
  CheckoutSession,
  CheckoutSessionCreateParams,
  CheckoutSessionListParams,
  CheckoutSessionStatus,
  CheckoutUiMode,
} from './checkout-session.ts'
export type { Checkout, CheckoutSessions } from './checkout-sessions.ts'
export { createMerchantPayments, type MerchantPayments } from './client.ts'
export type {
  Address,
  Customer,
  CustomerCreateParams,
  CustomerUpdateParams,
  DeletedCustomer,
} from './customer.ts'
export type { Customers } from './customers.ts'
export type { ErrorCode } from './error-codes.ts'
export {
  AbortError,
  ApiError,
  AuthenticationError,
  ConflictError,
  ConnectionError,
  DecodeError,
  IdempotencyError,
  InvalidRequestError,
  NotFoundError,
  NotSupportedError,
  OAuthError,
  PermissionError,
  ProviderUnavailableError,
  TimeoutError,
} from './errors.ts'
export type { Event, EventType } from './event.ts'
export type { EventListParams, Events } from './events.ts'
export type { Hooks, RequestEvent, ResponseEvent, RetryEvent } from './hooks.ts'
export type {
  DeletedInvoice,
  Invoice,
  InvoiceCreateParams,
  InvoiceListParams,
  InvoiceStatus,
  InvoiceStatusTransitions,
  InvoiceUpdateParams,
} from './invoice.ts'
export type {
  DeletedInvoiceItem,
  InvoiceItem,
  InvoiceItemCreateParams,
  InvoiceItemPrice,
  InvoiceItemUpdateParams,
} from './invoice-item.ts'
export type { InvoiceItems } from './invoice-items.ts'
export type { Invoices } from './invoices.ts'
export type { CreatedFilter, List, Listing, ListParams } from './list.ts'
export type {
  CancellationReason,
  Currency,
  DeclineCode,
  LastPaymentError,
  NextAction,
  PaymentIntent,
  PaymentIntentCancelParams,
  PaymentIntentConfirmParams,
  PaymentIntentCreateParams,
  PaymentIntentStatus,
} from './payment-intent.ts'
export type { PaymentIntents } from './payment-intents.ts'
export { isPaymentsError, PaymentsError, type PaymentsErrorType } from './payments-error.ts'
export type { PrivateKey, Sign } from './private-key.ts'
export type {
  Refund,
  RefundCreateParams,
  RefundFailure,
  RefundListParams,
  RefundReason,
  RefundStatus,
  RefundUpdateParams,
} from './refund.ts'
export type { Refunds } from './refunds.ts'
export type { Call, ReadOptions, RequestOptions } from './request.ts'
export type { Result } from './send.ts'
export type { MerchantPaymentsOptions } from './settings.ts'
export type { StoredToken, TokenStore } from './token-cache.ts'
export type { Transport, TransportRequest, TransportResponse } from './transport.ts'
