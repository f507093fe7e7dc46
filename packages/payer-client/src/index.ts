export type { Attention } from './attention.ts'
export { allowInsecureBaseUrl } from './base-url.ts'
export { createPayerClient, type PayerClient, type ReadOptions } from './client.ts'
export { PayerClientError } from './error.ts'
export type { PaymentOrder, PushOrder, RedirectOrder } from './order.ts'
export type { Conflict, PaymentProgress, PaymentResult, Trouble } from './result.ts'
export type { FollowOptions } from './run.ts'
export type { Clock, PayerClientOptions } from './settings.ts'
export type { AttemptStorage } from './storage.ts'
export type { WatchOptions } from './watch.ts'
export type {
  BrowserIntent,
  BrowserSession,
  Currency,
  DeclineCode,
  LocalizedText,
  RailOffer,
} from './wire.ts'
export type { Fetch } from './world.ts'
