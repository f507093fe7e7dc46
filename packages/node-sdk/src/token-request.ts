import { signAssertion } from './assertion.ts'
import { bareCause } from './bare-cause.ts'
import { Deadline } from './deadline.ts'
import { OAuthError } from './errors.ts'
import { exchange, systemCode } from './exchange.ts'
import { encodeForm } from './form.ts'
import { isPaymentsError, type PaymentsError } from './payments-error.ts'
import { decodeErrorOf, detailsOf, errorOfReply, isSuccess, jsonObject, type Reply } from './reply.ts'
import type { Settings } from './settings.ts'
import { isBearerToken, type StoredToken } from './token-cache.ts'

/** Shares of the token's 900 s (spec 5.4): refreshed in the background after 600 s, not used after 870 s. */
const REFRESH_AT_SHARE = 2 / 3
const EXPIRY_MARGIN_SEC = 30

/** The service's leeway for clocks (spec 5.2). */
const CLOCK_LEEWAY_SEC = 60

/**
 * Requests an access token once (spec 5.3). The calls that need it decide on retries. Each request signs a new assertion,
 * because the service accepts a jti once.
 */
export async function mintToken(settings: Settings, signal: AbortSignal): Promise<StoredToken> {
  const { baseUrl, clientId, clock, issuer, keyId, scope, sign, timeoutMs, userAgent } = settings
  const deadline = new Deadline({ timeoutMs, signal })
  try {
    const assertion = await deadline
      .race(() => signAssertion({ clientId, issuer, keyId, sign, nowMs: clock() }))
      .catch((cause: unknown) => {
        throw isPaymentsError(cause) ? cause : signingErrorOf(cause, settings)
      })
    const body = encodeForm({
      grant_type: 'client_credentials',
      client_id: clientId,
      client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
      client_assertion: assertion,
      audience: 'service:v1',
      scope,
    })
    const headers = {
      accept: 'application/json',
      'content-type': 'application/x-www-form-urlencoded',
      'user-agent': userAgent,
    }
    // Counts from before the request, so that a slow answer does not extend the token's life.
    const startedAtMs = clock()
    const url = `${baseUrl}/v1/oauth/token`
    const reply = await exchange(settings, { method: 'POST', url, headers, body, attempt: 1 }, deadline)
    if (!isSuccess(reply)) throw refusalOf(reply, settings)
    return readToken(reply, startedAtMs)
  } finally {
    deadline.clear()
  }
}

/**
 * A key management service may be away for a moment. A TypeError is a key that does not fit, but from a caller's function
 * only if Node's crypto has refused an argument: `fetch` without a connection fails with a TypeError too.
 */
function signingErrorOf(cause: unknown, { signsItself }: Settings): OAuthError {
  const isUnfit =
    cause instanceof TypeError && (signsItself || systemCode(cause)?.startsWith('ERR_') === true)
  return new OAuthError(isUnfit ? cause.message : 'The client assertion could not be signed: see cause.', {
    type: 'oauth_error',
    shouldRetry: !isUnfit,
    hints: [],
    clockSkewSec: undefined,
    cause: bareCause(cause),
  })
}

function readToken(reply: Reply, startedAtMs: number): StoredToken {
  const { access_token: accessToken, token_type: type, expires_in: lifetimeSec } = jsonObject(reply) ?? {}
  if (!isBearerToken(accessToken)) {
    throw decodeErrorOf(reply, 'it has no access_token')
  }
  if (typeof type !== 'string' || type.toLowerCase() !== 'bearer') {
    throw decodeErrorOf(reply, 'its token_type is not Bearer')
  }
  if (typeof lifetimeSec !== 'number' || !Number.isSafeInteger(lifetimeSec) || lifetimeSec <= 0) {
    throw decodeErrorOf(reply, 'its expires_in is not a positive integer')
  }
  return {
    accessToken,
    refreshAtMs: startedAtMs + lifetimeSec * 1000 * REFRESH_AT_SHARE,
    expiresAtMs: startedAtMs + (lifetimeSec - EXPIRY_MARGIN_SEC) * 1000,
  }
}

/** Parses `{error, error_description}` (spec 7.3), which differs from the API's envelope. */
function refusalOf(reply: Reply, settings: Settings): PaymentsError {
  const { error: code, error_description: description } = jsonObject(reply) ?? {}
  if (typeof code !== 'string') return errorOfReply(reply)
  const clockSkewSec = skewSec(reply, settings.clock())
  const hints = code === 'invalid_client' ? invalidClientHints(settings, clockSkewSec) : []
  const summary = typeof description === 'string' ? `${code}: ${description}` : code
  return new OAuthError(hints.length === 0 ? summary : `${summary} (see hints)`, {
    ...detailsOf(reply, code),
    type: 'oauth_error',
    hints,
    clockSkewSec,
  })
}

/** The `Date` header has a resolution of one second. */
function skewSec({ headers }: Reply, nowMs: number): number | undefined {
  const serviceMs = Date.parse(headers['date'] ?? '')
  return Number.isNaN(serviceMs) ? undefined : Math.round((nowMs - serviceMs) / 1000)
}

/**
 * Lists the likely causes, because the service does not say which check failed (spec 5.7). A measured clock skew
 * comes first.
 */
function invalidClientHints({ issuer, keyId }: Settings, clockSkewSec: number | undefined): string[] {
  const hints = [
    'Is clientId registered on this deployment, on replicas started after the registration, and not disabled?',
    'Is the public half of privateKey registered for this client?',
    keyId === undefined
      ? 'No kid was sent. If several keys are registered, set keyId.'
      : `The kid sent is ${JSON.stringify(keyId)}: is exactly this one registered?`,
    `The audience sent is ${issuer}: it must be the deployment's public base URL followed by /v1/oauth. Set issuer if it differs from baseUrl.`,
  ]
  if (clockSkewSec === undefined || Math.abs(clockSkewSec) <= CLOCK_LEEWAY_SEC) return hints
  const direction = clockSkewSec > 0 ? 'ahead of' : 'behind'
  return [
    `This machine's clock is ${Math.abs(clockSkewSec)} s ${direction} the service's; correct it.`,
    ...hints,
  ]
}
