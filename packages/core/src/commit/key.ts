import { hash } from 'node:crypto'
import type { Operation, Refusal } from '@merchant-payments/contract'
import { DAY_MS } from '../base/clock.ts'
import type { MerchantId } from '../base/ids.ts'

/** Spec 8: keys are kept 24 hours. */
export const KEY_LIFE_MS = DAY_MS

/** Namespace of a key: the merchant's own, one for the payers of each intent, or one for each staff member. */
export type KeyScope = 'v1' | `browser:${string}` | `dash:${string}`

export interface KeyClaim {
  readonly merchantId: MerchantId
  readonly scope: KeyScope
  readonly key: string
  readonly fingerprint: Buffer
  /** The request id. Events, jobs and log lines that the request causes later carry it too. */
  readonly requestId: string
  /** The status of a success, as the contract declares it for the operation. */
  readonly okStatus: Operation['ok']['status']
}

/** Two requests that claim one key never share a statement: the key's row decides between them. */
export const identityOfClaim = ({ merchantId, scope, key }: KeyClaim): string =>
  `${merchantId} ${scope} ${key}`

/** Stored and replayed byte for byte. */
export interface Answer {
  readonly status: number
  /** A replayed body lacks the client secret that it showed. `ClientSecrets.fill` puts it back. */
  readonly body: string
  /** Value of the compat-should-retry header. Null on a success, which has none. */
  readonly shouldRetry: boolean | null
  readonly replayed: boolean
}

export type NewAnswer = Omit<Answer, 'replayed'>

export const okAnswer = ({ okStatus }: KeyClaim, resource: object): NewAnswer => ({
  status: okStatus,
  body: JSON.stringify(resource),
  shouldRetry: null,
})

export const refusalAnswer = (refusal: Refusal): NewAnswer => ({
  status: refusal.kind.status,
  body: JSON.stringify(refusal.toEnvelope()),
  shouldRetry: refusal.kind.shouldRetry,
})

/** SHA-256 over method, path and raw body bytes (docs/spec-gaps.md, idempotency). */
export const fingerprintOf = (method: string, path: string, body: Uint8Array): Buffer =>
  hash('sha256', Buffer.concat([Buffer.from(`${method}\n${path}\n`), body]), 'buffer')
