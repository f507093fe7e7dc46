import {
  type ClientSecretKey,
  deriveSecret,
  isSameSecret,
  mintSecret,
  MINUTE_MS,
} from '@merchant-payments/core'
import { LRUCache } from 'lru-cache'
import { tagsOf } from './tags.ts'

/** Longest time that somebody may take at the identity provider. */
export const ATTEMPT_MS = 10 * MINUTE_MS

/** Taken attempts that a process remembers, some 3 MB. docs/spec-gaps.md, staff. */
const TAKEN_MAX = 20_000

/**
 * Characters of 6 bits each. Random part and tag together are as long as the random part of the previous release,
 * whose replicas can therefore finish sign-ins that began here.
 */
const RANDOM_CHARS = 22
const TAG_CHARS = 21

const FORM = new RegExp(
  `^(?<startedAtMs>\\d{1,15})\\.(?<random>[\\w-]{${RANDOM_CHARS}})(?<tag>[\\w-]{${TAG_CHARS}})\\.(?<path>[\\w-]+)$`,
)

/**
 * A pending sign-in, stored only in a cookie of the browser. State, nonce and code verifier are derived from the
 * whole cookie, so the provider's answer fits neither a changed cookie nor that of another browser. A tag by a key of
 * the deployment keeps others from making cookies.
 */
export interface SignInAttempt {
  readonly cookie: string
  readonly returnTo: string
  readonly state: string
  readonly nonce: string
  readonly codeVerifier: string
}

export interface SignInAttempts {
  readonly begin: (returnTo: string, nowMs: number) => SignInAttempt
  /**
   * Takes an attempt, which a process does once.
   *
   * @param state the one that came back from the provider
   * @returns null if the deployment did not make the cookie, the state is not its own, or it has expired or been taken
   */
  readonly take: (cookie: string | null, state: string | null, nowMs: number) => SignInAttempt | null
  /** Makes an attempt that was taken and not used available again. */
  readonly giveBack: (attempt: SignInAttempt) => void
}

export function signInAttemptsOf(keys: readonly ClientSecretKey[], takenMax = TAKEN_MAX): SignInAttempts {
  const tags = tagsOf(keys, 'merchant-payments staff_sign_in 1', TAG_CHARS)
  const taken = new LRUCache<string, true>({ max: takenMax })
  return {
    begin: (returnTo, nowMs) => {
      const random = mintSecret().slice(0, RANDOM_CHARS)
      const path = Buffer.from(returnTo).toString('base64url')
      return attemptOf(
        `${nowMs}.${random}${tags.of(taggedText(String(nowMs), random, path))}.${path}`,
        returnTo,
      )
    },
    take: (cookie, state, nowMs) => {
      if (cookie === null || state === null) return null
      const { startedAtMs = '', random = '', tag = '', path = '' } = FORM.exec(cookie)?.groups ?? {}
      if (!tags.isOf(taggedText(startedAtMs, random, path), tag)) return null
      const ageMs = nowMs - Number(startedAtMs)
      if (ageMs < 0 || ageMs > ATTEMPT_MS) return null
      const attempt = attemptOf(cookie, Buffer.from(path, 'base64url').toString())
      if (!isSameSecret(state, attempt.state) || taken.has(attempt.state)) return null
      taken.set(attempt.state, true)
      return attempt
    },
    giveBack: ({ state }) => void taken.delete(state),
  }
}

const taggedText = (startedAtMs: string, random: string, path: string): string =>
  `${startedAtMs}.${random}.${path}`

const attemptOf = (cookie: string, returnTo: string): SignInAttempt => ({
  cookie,
  returnTo,
  state: deriveSecret(cookie, 'state'),
  nonce: deriveSecret(cookie, 'nonce'),
  codeVerifier: deriveSecret(cookie, 'code verifier'),
})
