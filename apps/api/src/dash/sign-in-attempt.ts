import { deriveSecret, mintSecret } from '@merchant-payments/core'

/** How long somebody may be at the identity provider. */
export const ATTEMPT_MS = 10 * 60_000

/**
 * A sign-in under way. Only the browser keeps it, in a cookie; what the provider is told is derived from the whole cookie,
 * so that one that was altered, or is another browser's, fits no answer.
 */
export interface SignInAttempt {
  readonly cookie: string
  readonly returnTo: string
  readonly state: string
  readonly nonce: string
  readonly codeVerifier: string
}

export const beginAttempt = (returnTo: string, nowMs: number): SignInAttempt =>
  attemptOf(`${nowMs}.${mintSecret()}.${Buffer.from(returnTo).toString('base64url')}`, returnTo)

/** @returns null of a cookie that is none of ours, or too old */
export function readAttempt(cookie: string | null, nowMs: number): SignInAttempt | null {
  const [, startedAtMs, returnTo] = /^(\d{1,15})\.[\w-]{43}\.([\w-]+)$/.exec(cookie ?? '') ?? []
  if (cookie === null || startedAtMs === undefined || returnTo === undefined) return null
  const ageMs = nowMs - Number(startedAtMs)
  if (ageMs < 0 || ageMs > ATTEMPT_MS) return null
  return attemptOf(cookie, Buffer.from(returnTo, 'base64url').toString())
}

const attemptOf = (cookie: string, returnTo: string): SignInAttempt => ({
  cookie,
  returnTo,
  state: deriveSecret(cookie, 'state'),
  nonce: deriveSecret(cookie, 'nonce'),
  codeVerifier: deriveSecret(cookie, 'code verifier'),
})
