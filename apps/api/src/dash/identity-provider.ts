import type { KeyObject } from 'node:crypto'
import { Refusal } from '@merchant-payments/contract'
import { HOUR_MS, type Identity, STAFF_SESSION_MS, type StepUp } from '@merchant-payments/core'
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

/** Time after which a provider counts as unavailable. */
const TIMEOUT_SEC = 5
/** Lifetime of the provider's discovery document, and below it the shortest time between two failed fetches. */
const KNOWN_MS = HOUR_MS
const PAUSE_MS = 2_000

/** The service's credential at the provider. */
export type ClientCredential =
  | { readonly kind: 'secret'; readonly secret: { readonly reveal: () => string } }
  | { readonly kind: 'key'; readonly key: { readonly kid: string; readonly privateKey: KeyObject } }

export interface IdentityProviderOptions {
  readonly issuer: string
  readonly clientId: string
  readonly credential: ClientCredential
  readonly roleClaim: string
  readonly stepUp: StepUp | null
  /** The address to which the provider sends staff back. */
  readonly redirectUri: string
  readonly clock: () => number
  readonly log: Log
}

/** The deployment's OpenID provider. The service contacts it at the first sign-in. */
export interface IdentityProvider {
  /**
   * @param isStepUp asks the provider to authenticate again, also within a session
   * @throws Refusal identity_provider_unavailable
   */
  readonly authorizationUrl: (attempt: SignInAttempt, isStepUp: boolean) => Promise<URL>
  /**
   * Redeems the code that the browser brought back.
   *
   * @throws Refusal identity_provider_unavailable; invalid_request if the code, the state or the token is not valid
   */
  readonly redeem: (query: string, attempt: SignInAttempt) => Promise<Identity>
  /**
   * Reads whom a logout token signs out. The caller checks in the database whether it was used before.
   *
   * @throws Refusal identity_provider_unavailable; invalid_request if the token is not valid
   */
  readonly readLogoutToken: (token: string) => Promise<LogoutToken>
  /** Address at which the provider ends its own session; null if it has none or is unavailable. */
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
        ...asksOf(options.stepUp, isStepUp),
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

/**
 * What the provider does within a session of its own (OpenID Connect Core 3.1.2.1). `prompt` makes it ask who signs in,
 * also where nothing needs a recent sign-in: an account without a role must not come back as itself without a question.
 */
const asksOf = (stepUp: StepUp | null, isStepUp: boolean): Record<string, string> => ({
  ...(isStepUp && { prompt: 'login' }),
  ...agesOf(stepUp, isStepUp),
})

/** Parameters that make the provider report `auth_time` in the ID token. */
function agesOf(stepUp: StepUp | null, isStepUp: boolean): Record<string, string> {
  if (stepUp === null) return {}
  return {
    // `max_age=0` does not force a new sign-in within the second of the last one; `prompt` does.
    max_age: isStepUp ? '0' : String(STAFF_SESSION_MS / 1_000),
    ...(stepUp.acrValues.length > 0 && { acr_values: stepUp.acrValues.join(' ') }),
  }
}

interface Known {
  readonly configuration: Configuration
  readonly keys: ProviderKeys
}

/** A private key signs an assertion for each request, which the provider verifies (OpenID Connect Core 9). */
function clientAuthOf(credential: ClientCredential): ClientAuth {
  if (credential.kind === 'secret') return ClientSecretBasic(credential.secret.reveal())
  const { kid, privateKey } = credential.key
  const algorithm = { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' }
  return PrivateKeyJwt({ kid, key: privateKey.toCryptoKey(algorithm, false, ['sign']) })
}

/** Caches the discovery document and fetches it once at a time. After a failure, calls fail at once for a while. */
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
      // Also verifies the ID token's signature, although it arrives over TLS from the provider.
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

/** A code from the library. Its messages are not logged because they may quote tokens. */
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
    : new Refusal(
        'invalid_request',
        'This sign-in was not started in this browser, or has expired. Start again.',
      )
}

const awayReasons: ReadonlySet<string> = new Set(['OAUTH_TIMEOUT', 'OAUTH_RESPONSE_IS_NOT_CONFORM'])
