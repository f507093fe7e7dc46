import { createHash } from 'node:crypto'
import type { Operation, Refusal } from '@merchant-payments/contract'
import type { MerchantId } from '../base/ids.ts'

/** Spec 8: keys are kept 24 hours. */
export const KEY_LIFE_MS = 24 * 60 * 60 * 1_000

/** A merchant's keys, and apart from them the keys of each payer's browser and of each staff member. */
export type KeyScope = 'v1' | `browser:${string}` | `dash:${string}`

/** A request that wants to run once: its key, and what must be the same for a replay. */
export interface KeyClaim {
  readonly merchantId: MerchantId
  readonly scope: KeyScope
  readonly key: string
  readonly fingerprint: Buffer
  /** Of this exchange; what it causes later is found by it. */
  readonly requestId: string
  /** The status of a success, as the contract declares it for the operation. */
  readonly okStatus: Operation['ok']['status']
}

/** Two requests with one key never share a statement: the key's row decides between them. */
export const identityOfClaim = ({ merchantId, scope, key }: KeyClaim): string =>
  JSON.stringify([merchantId, scope, key])

/** What a request answers, as it is stored and replayed byte for byte. */
export interface Answer {
  readonly status: number
  /** Where it is replayed, without the client secret that it showed: `ClientSecrets.fill` puts it in again. */
  readonly body: string
  /** Value of the compat-should-retry header; null on a success, which has none. */
  readonly shouldRetry: boolean | null
  readonly replayed: boolean
}

/** An answer before it is stored under its key. */
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

/** decisions: a hash of method, path and the raw body bytes. */
export const fingerprintOf = (method: string, path: string, body: Uint8Array): Buffer =>
  createHash('sha256').update(method).update('\n').update(path).update('\n').update(body).digest()
