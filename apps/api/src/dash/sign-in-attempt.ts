import { deriveSecret, mintSecret } from '@merchant-payments/core'

/** Longest time that somebody may take at the identity provider. */
export const ATTEMPT_MS = 10 * 60_000

/**
 * A pending sign-in, stored only in a cookie of the browser. State, nonce and code verifier are derived from the
 * whole cookie, so the provider's answer fits neither a changed cookie nor that of another browser.
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

/** @returns null if the cookie is not valid or has expired */
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
