import type { Database, Session } from '@merchant-payments/db'
import type { Alert } from './base/alerts.ts'
import type { Clock } from './base/clock.ts'
import type { FaultHook } from './base/fault-points.ts'
import type { Writes } from './commit/writes.ts'
import type { Merchants } from './base/merchants.ts'
import type { RailDisplays } from './rails/display.ts'
import type { Rails } from './rails/port.ts'
import type { ClientSecrets } from './base/secrets.ts'

export interface Deployment {
  readonly livemode: boolean
  /** No trailing slash, here and below. */
  readonly publicBaseUrl: string
  readonly checkoutBaseUrl: string
  readonly callbackBaseUrl: string
  readonly merchants: Merchants
  readonly clientSecrets: ClientSecrets
  readonly railDisplays: RailDisplays
  /** `browser.account_holders`: whether payers may look up the owner of a number. */
  readonly payersMayLookUp: boolean
  /** `phone.default_country_code`, which completes numbers of nine digits. */
  readonly defaultCountryCode: string
}

export interface Deps {
  readonly db: Database
  readonly writes: Writes
  readonly rails: Rails
  readonly clock: Clock
  readonly alert: Alert
  readonly fault: FaultHook
  readonly deployment: Deployment
}

/**
 * Dependencies of a command that makes exactly one commit. Staff run such commands within the transaction of their
 * audit entry.
 */
export interface CommandDeps extends Omit<Deps, 'db'> {
  readonly db: Session
}
