import { bytesOfBody, type RawBody, readBody, type WebhookRequest } from './body.ts'
import { systemClock } from './clock.ts'
import { WebhookVerificationError } from './error.ts'
import type { Event } from './events.ts'
import {
  findSignatureHeader,
  parseSignatureHeader,
  type SignatureHeader,
  type WebhookHeaders,
} from './header.ts'
import type { CreateMatcher } from './hmac.ts'
import { bytesOfSecrets, type WebhookSecret } from './secrets.ts'

/** What a verifier accepts, and by which clock. */
export interface VerifierOptions {
  /** One secret, or all valid ones during a rotation. */
  secrets: WebhookSecret | readonly WebhookSecret[]
  /**
   * The greatest difference between `t` and the clock in seconds, either way. Default: 300; least: 1.
   * `Infinity` disables the check.
   */
  toleranceSec?: number | undefined
  /** The largest accepted body, in bytes. Default: 1 MiB. */
  bodyMaxBytes?: number | undefined
  /** The clock, in milliseconds. Default: `Date.now`. */
  now?: (() => number) | undefined
  /** The one header to read instead of `Service-Signature` and `Compat-Signature`. */
  header?: string | undefined
}

/** A verified event, and which secret signed it. A rotation is over once no event matches the old secret. */
export interface Verification {
  /** The event that the body holds. */
  event: Event
  /** Index into `secrets` of the first secret that matched. */
  secretIndex: number
}

/** Verifies the deliveries of one endpoint. It keeps no state between them. */
export interface Verifier {
  /** Returns the event of a body in memory, or rejects with a `WebhookVerificationError`. */
  verify(rawBody: RawBody, headers: WebhookHeaders): Promise<Event>
  /** Like `verify`, for a Fetch `Request`. Stops reading a body at the size limit. */
  verifyRequest(request: WebhookRequest): Promise<Event>
  /** Like `verify`, and reports which secret matched. */
  verifyDetailed(rawBody: RawBody, headers: WebhookHeaders): Promise<Verification>
}

const TOLERANCE_SEC = 300 // Spec 6.3.4 and 8: five minutes.
const BODY_MAX_BYTES = 1_048_576
/** Made at the first use, like the encoder. */
let decoder: { decode(bytes: Uint8Array): string } | undefined
// Spec 6.3.3: both headers have the same value. The service's own name takes precedence.
const HEADER_NAMES = ['service-signature', 'compat-signature']

export function buildVerifier(options: VerifierOptions, createMatcher: CreateMatcher): Verifier {
  const {
    secrets,
    toleranceSec = TOLERANCE_SEC,
    bodyMaxBytes = BODY_MAX_BYTES,
    now = systemClock,
    header,
    ...others
  } = options ?? {}
  // A misspelt tolerance or secret must not have the effect of none.
  for (const name in others) throw new TypeError(`${name} is no option`)
  // A falsy or invalid tolerance must not disable the check.
  requireAtLeastOne('toleranceSec', toleranceSec)
  requireAtLeastOne('bodyMaxBytes', bodyMaxBytes)
  const headerNames = header === undefined ? HEADER_NAMES : [header.toLowerCase()]
  const match = createMatcher(bytesOfSecrets(secrets))

  // Evaluated before the body is read, so a stale or unsigned request costs no read and no HMAC.
  function timelySignature(headers: WebhookHeaders): SignatureHeader {
    const signature = parseSignatureHeader(findSignatureHeader(headers, headerNames))
    assertTimely(Math.floor(now() / 1_000) - Number(signature.timestamp), toleranceSec)
    return signature
  }

  // Each method is one promise of its own: a shared async function would cost another.
  return {
    verifyDetailed: async (rawBody, headers) =>
      match(timelySignature(headers), bytesOfBody(rawBody, bodyMaxBytes), verificationOf),
    verify: async (rawBody, headers) =>
      (await match(timelySignature(headers), bytesOfBody(rawBody, bodyMaxBytes), verificationOf)).event,
    verifyRequest: async (request) =>
      (await match(timelySignature(request.headers), await readBody(request, bodyMaxBytes), verificationOf))
        .event,
  }
}

function verificationOf(secretIndex: number, body: Uint8Array): Verification {
  if (secretIndex === -1) throw new WebhookVerificationError('signature_mismatch')
  return { event: parseEvent(body), secretIndex }
}

function requireAtLeastOne(name: string, value: number): void {
  if (!(value >= 1)) throw new RangeError(`${name} must be at least 1; Infinity is no limit`)
}

// Negated, so that a clock that returns NaN refuses everything instead of nothing.
function assertTimely(ageSec: number, toleranceSec: number): void {
  if (!(ageSec <= toleranceSec)) throw new WebhookVerificationError('timestamp_too_old')
  if (!(ageSec >= -toleranceSec)) throw new WebhookVerificationError('timestamp_too_new')
}

function parseEvent(body: Uint8Array): Event {
  try {
    const event: unknown = JSON.parse((decoder ??= new TextDecoder()).decode(body))
    if (isEvent(event)) return event
  } catch {
    // The parser's message quotes the body, which may contain a payer's name or number.
  }
  throw new WebhookVerificationError('invalid_json')
}

function isEvent(value: unknown): value is Event {
  const event = value as Partial<Event> | null
  return (
    event?.object === 'event' &&
    typeof event.id === 'string' &&
    typeof event.type === 'string' &&
    event.data?.object instanceof Object
  )
}
