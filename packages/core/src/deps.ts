import type { Database } from '@merchant-payments/db'
import type { Alert } from './base/alerts.ts'
import type { Clock } from './base/clock.ts'
import type { FaultHook } from './base/fault-points.ts'
import type { Writes } from './commit/writes.ts'
import type { Merchants } from './base/merchants.ts'
import type { RailDisplays } from './rails/display.ts'
import type { Rails } from './rails/port.ts'
import type { ClientSecrets } from './base/secrets.ts'

/** What a deployment decides and commands need to know. */
export interface Deployment {
  readonly livemode: boolean
  /** No trailing slash. Rails call back below it. */
  readonly publicBaseUrl: string
  /** No trailing slash. The hosted page is below it. */
  readonly checkoutBaseUrl: string
  readonly merchants: Merchants
  /** `client_secret_keys`. */
  readonly clientSecrets: ClientSecrets
  readonly railDisplays: RailDisplays
  /** `browser.account_holders`: payers may ask whose account a number is. */
  readonly payersMayLookUp: boolean
  /** `phone.default_country_code`: what nine dialled digits are completed with. */
  readonly defaultCountryCode: string
}

/** Everything that main.ts makes once. A function asks for the part that it uses. */
export interface Deps {
  readonly db: Database
  readonly writes: Writes
  readonly rails: Rails
  readonly clock: Clock
  readonly alert: Alert
  readonly fault: FaultHook
  readonly deployment: Deployment
}
