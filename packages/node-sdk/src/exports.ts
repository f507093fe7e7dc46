// The exports that both builds share: index.ts for runtimes with fetch, and index-node.ts for Node.
export {
  type HeadersLike,
  isWebhookVerificationError,
  type RawBody,
  type VerifierOptions,
  type WebhookHeaders,
  type WebhookRequest,
  type WebhookRequestBody,
  type WebhookSecret,
  WebhookVerificationError,
  type WebhookVerificationErrorCode,
} from '@merchant-payments/webhook-verifier'
export { allowInsecureBaseUrl } from './base-url.ts'
export type {
  AccountHolders,
  CheckoutSessions,
  Customers,
  Events,
  InvoiceItems,
  Invoices,
  PaymentIntents,
  Refunds,
} from './calls.ts'
export type { Checkout } from './checkout-sessions.ts'
export type { MerchantPayments } from './client.ts'
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
  RateLimitError,
  TimeoutError,
  TransportError,
} from './errors.ts'
export type { FailureEvent, Hooks, RequestEvent, ResponseEvent, RetryEvent } from './hooks.ts'
export type { InvoiceItemPrice } from './invoice-items.ts'
export type { List, Listing, Page } from './list.ts'
export { isPaymentsError, PaymentsError, type PaymentsErrorType } from './payments-error.ts'
export type { CryptoKeyLike, KeyObjectLike, PrivateJwk, PrivateKey, Sign } from './private-key.ts'
export type { Call, ReadOptions, RequestOptions } from './request.ts'
export type { LastResponse, PendingCall, Result, WithResponse } from './result.ts'
export {
  allowBrowserGlobals,
  type AppInfo,
  type HttpAgent,
  type MerchantPaymentsOptions,
} from './settings.ts'
export type { Logger, LogLevel } from './log.ts'
export type { Signal, SignalLike } from './signal.ts'
export type { StoredToken, TokenStore } from './token-cache.ts'
export type { TokenLimits, TokenSource } from './token-source.ts'
export type { Transport, TransportRequest, TransportResponse } from './transport.ts'
export type {
  AccountHolder,
  AccountHolderRetrieveParams,
  Address,
  CancellationReason,
  CheckoutPaymentStatus,
  CheckoutSession,
  CheckoutSessionCreateParams,
  CheckoutSessionListParams,
  CheckoutSessionSnapshot,
  CheckoutSessionStatus,
  CheckoutUiMode,
  CreatedFilter,
  Currency,
  Customer,
  CustomerCreateParams,
  CustomerUpdateParams,
  DeclineCode,
  DeletedCustomer,
  DeletedInvoice,
  DeletedInvoiceItem,
  ErrorCode,
  Event,
  EventListParams,
  EventOf,
  EventType,
  Invoice,
  InvoiceCreateParams,
  InvoiceItem,
  InvoiceItemCreateParams,
  InvoiceItemUpdateParams,
  InvoiceListParams,
  InvoiceSnapshot,
  InvoiceStatus,
  InvoiceStatusTransitions,
  InvoiceUpdateParams,
  LastPaymentError,
  ListParams,
  NextAction,
  PaymentIntent,
  PaymentIntentCancelParams,
  PaymentIntentConfirmParams,
  PaymentIntentCreateParams,
  PaymentIntentSnapshot,
  PaymentIntentStatus,
  PaymentMethodData,
  PushInstrument,
  RailInstruments,
  RedirectInstrument,
  Refund,
  RefundCreateParams,
  RefundFailure,
  RefundListParams,
  RefundReason,
  RefundStatus,
  RefundUpdateParams,
  UnknownEvent,
} from './wire.ts'
export type { Webhooks, WebhookVerifier } from './webhooks.ts'
