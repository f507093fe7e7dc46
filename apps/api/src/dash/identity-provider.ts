import type { KeyObject } from 'node:crypto'
import { Refusal } from '@merchant-payments/contract'
import { type Identity, STAFF_SESSION_MS, type StepUp } from '@merchant-payments/core'
import type { Log } from '@merchant-payments/telemetry'
import {
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  buildEndSessionUrl,
  calculatePKCECodeChallenge,
  type ClientAuth,
  ClientSecretBasic,
  type Configuration,
  discovery,
  enableNonRepudiationChecks,
  PrivateKeyJwt,
} from 'openid-client'
import { identityOf } from './identity.ts'
import { judgeLogoutToken, type LogoutToken, openKeys, type ProviderKeys } from './logout-token.ts'
import type { SignInAttempt } from './sign-in-attempt.ts'

/** A provider that takes longer is away, to somebody who waits for a page. */
const TIMEOUT_SEC = 5
/** What a provider says of itself is asked for again after so long, and after a failure no sooner than this. */
const KNOWN_MS = 60 * 60_000
const PAUSE_MS = 2_000

/** How the service proves to the provider which client it is. */
export type ClientCredential =
  | { readonly kind: 'secret'; readonly secret: { readonly reveal: () => string } }
  | { readonly kind: 'key'; readonly key: { readonly kid: string; readonly privateKey: KeyObject } }

export interface IdentityProviderOptions {
  readonly issuer: string
  readonly clientId: string
  readonly credential: ClientCredential
  readonly roleClaim: string
  readonly stepUp: StepUp | null
  /** Where staff come back to. */
  readonly redirectUri: string
  readonly clock: () => number
  readonly log: Log
}

/** The deployment's OpenID provider. Nothing is asked of it before the first sign-in. */
export interface IdentityProvider {
  /**
   * @param isStepUp the provider asks again, whoever it knows
   * @throws Refusal identity_provider_unavailable
   */
  readonly authorizationUrl: (attempt: SignInAttempt, isStepUp: boolean) => Promise<URL>
  /**
   * Redeems the code that a browser brought back.
   *
   * @throws Refusal identity_provider_unavailable; invalid_request of a code, a state or a token that does not fit
   */
  readonly redeem: (query: string, attempt: SignInAttempt) => Promise<Identity>
  /**
   * Whom a logout token signs out. Whether it was spent before is for the database to say.
   *
   * @throws Refusal identity_provider_unavailable; invalid_request of a token that is not good
   */
  readonly readLogoutToken: (token: string) => Promise<LogoutToken>
  /** Where the provider ends its own session; null where it has no such place, or is away. */
  readonly endSessionUrl: (returnUrl: string) => Promise<string | null>
}

export function createIdentityProvider(options: IdentityProviderOptions): IdentityProvider {
  const { clientId, redirectUri, log } = options
  const find = knownFor(options)

  return {
    authorizationUrl: async ({ state, nonce, codeVerifier }, isStepUp) =>
      buildAuthorizationUrl((await find()).configuration, {
        redirect_uri: redirectUri,
        scope: 'openid profile',
        response_type: 'code',
        state,
        nonce,
        code_challenge: await calculatePKCECodeChallenge(codeVerifier),
        code_challenge_method: 'S256',
        ...agesOf(options.stepUp, isStepUp),
      }),
    redeem: async (query, { state, nonce, codeVerifier }) => {
      const { configuration } = await find()
      const answered = new URL(`${redirectUri}?${query}`)
      try {
        const tokens = await authorizationCodeGrant(configuration, answered, {
          expectedState: state,
          expectedNonce: nonce,
          pkceCodeVerifier: codeVerifier,
          idTokenExpected: true,
        })
        const { roleClaim, stepUp } = options
        return identityOf(tokens.claims() ?? {}, { roleClaim, acrValues: stepUp?.acrValues ?? [] })
      } catch (error) {
        throw refused(error, log)
      }
    },
    readLogoutToken: async (token) => {
      const { keys } = await find()
      try {
        return await judgeLogoutToken(token, { keys, clientId, nowMs: options.clock() })
      } catch (error) {
        if (error instanceof Refusal) log.warn({ reason: error.code }, 'logout token refused')
        throw error
      }
    },
    endSessionUrl: async (returnUrl) => {
      try {
        const { configuration } = await find()
        if (configuration.serverMetadata().end_session_endpoint === undefined) return null
        const parameters = { client_id: clientId, post_logout_redirect_uri: returnUrl }
        return buildEndSessionUrl(configuration, parameters).href
      } catch {
        return null
      }
    },
  }
}

/** OpenID Connect Core 3.1.2.1: whoever is sent `max_age` says in the ID token when the person last signed in. */
function agesOf(stepUp: StepUp | null, isStepUp: boolean): Record<string, string> {
  if (stepUp === null) return {}
  return {
    max_age: isStepUp ? '0' : String(STAFF_SESSION_MS / 1_000),
    // Within one second of the last sign-in, an age of zero asks for none.
    ...(isStepUp && { prompt: 'login' }),
    ...(stepUp.acrValues.length > 0 && { acr_values: stepUp.acrValues.join(' ') }),
  }
}

interface Known {
  readonly configuration: Configuration
  readonly keys: ProviderKeys
}

/** OpenID Connect Core 9. A key signs an assertion for each request, which the provider checks by its public part. */
function clientAuthOf(credential: ClientCredential): ClientAuth {
  if (credential.kind === 'secret') return ClientSecretBasic(credential.secret.reveal())
  const { kid, privateKey } = credential.key
  const algorithm = { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' }
  return PrivateKeyJwt({ kid, key: privateKey.toCryptoKey(algorithm, false, ['sign']) })
}

/** One look at a time, kept for a while; while the provider is away, nobody waits for it twice in a row. */
function knownFor({ issuer, clientId, credential, clock, log }: IdentityProviderOptions) {
  let known: Promise<Known> | null = null
  let againAtMs = 0
  const look = async (): Promise<Known> => {
    try {
      const found = await discovery(new URL(issuer), clientId, {}, clientAuthOf(credential), {
        timeout: TIMEOUT_SEC,
        // Outside livemode the configuration allows a provider without TLS.
        execute: issuer.startsWith('http:') ? [allowInsecureRequests] : [],
      })
      // The ID token's signature too, though it comes over a connection of our own.
      enableNonRepudiationChecks(found)
      againAtMs = clock() + KNOWN_MS
      return { configuration: found, keys: openKeys(found.serverMetadata(), TIMEOUT_SEC * 1_000) }
    } catch (error) {
      againAtMs = clock() + PAUSE_MS
      log.warn({ reason: reasonOf(error) }, 'identity provider not found')
      throw unavailable(error)
    }
  }
  return (): Promise<Known> => {
    if (known === null || clock() >= againAtMs) {
      againAtMs = Number.POSITIVE_INFINITY
      known = look()
      known.catch(() => undefined)
    }
    return known
  }
}

/** A word of the library's own, such as a code: its messages may hold what was sent. */
const reasonOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'unknown'

const unavailable = (cause: unknown) =>
  new Refusal(
    'identity_provider_unavailable',
    'The identity provider does not answer. Try again in a moment.',
    {
      cause: reasonOf(cause),
    },
  )

function refused(error: unknown, log: Log): unknown {
  if (error instanceof Refusal) return error
  const reason = reasonOf(error)
  log.warn({ reason }, 'sign-in refused')
  return awayReasons.has(reason) || error instanceof TypeError
    ? unavailable(error)
    : new Refusal('invalid_request', 'This sign-in does not fit any that was begun here. Begin again.')
}

const awayReasons: ReadonlySet<string> = new Set(['OAUTH_TIMEOUT', 'OAUTH_RESPONSE_IS_NOT_CONFORM'])
