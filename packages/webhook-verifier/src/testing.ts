import { concat } from './bytes.ts'
import { systemClock } from './clock.ts'
import type { EventOf, EventType } from './events.ts'
import { importHmacKey } from './hmac.ts'
import { bytesOfSecrets, type WebhookSecret } from './secrets.ts'
import { SAMPLE_CREATED_SEC, SAMPLE_EVENT_ID, snapshots } from './snapshots.ts'

/** A body, and how to sign it. */
export interface SignPayloadOptions {
  /** The body exactly as it will be sent. */
  payload: string | Uint8Array
  /** One v1 signature is made with each, in this order. */
  secrets: WebhookSecret | readonly WebhookSecret[]
  /** Unix seconds. Default: now. */
  timestampSec?: number | undefined
}

/**
 * Signs a body as the service does.
 *
 * @returns the value of the signature header
 * @example
 * const payload = JSON.stringify(createTestEvent('payment_intent.succeeded'))
 * const signature = await signPayload({ payload, secrets: 'whsec_test' })
 * await fetch(endpoint, { method: 'POST', body: payload, headers: { 'Service-Signature': signature } })
 */
export async function signPayload(options: SignPayloadOptions): Promise<string> {
  const { payload, secrets, timestampSec = Math.floor(systemClock() / 1_000) } = options
  const encoder = new TextEncoder()
  const body = typeof payload === 'string' ? encoder.encode(payload) : payload
  const content = concat([encoder.encode(`${timestampSec}.`), body])
  const signatures = await Promise.all(bytesOfSecrets(secrets).map((secret) => sign(secret, content)))
  return [`t=${timestampSec}`, ...signatures.map((signature) => `v1=${signature}`)].join(',')
}

/** What differs from the sample event. */
export interface TestEventOptions<T extends EventType> {
  /** The id of the event. Give each event its own to test that duplicates are recognized. */
  id?: string | undefined
  /** Unix seconds: when the event was written. */
  created?: number | undefined
  /** Whether real money moved. It also applies to the resource. Default: false. */
  livemode?: boolean | undefined
  /** Fields of the resource that differ from the sample. */
  object?: Partial<EventOf<T>['data']['object']> | undefined
}

/**
 * A complete sample event of the given type. Every call returns the same one.
 *
 * @example
 * const event = createTestEvent('payment_intent.succeeded', { object: { amount: 2_500, metadata: { order: '42' } } })
 */
export function createTestEvent<T extends EventType>(type: T, options: TestEventOptions<T> = {}): EventOf<T> {
  const { id = SAMPLE_EVENT_ID, created = SAMPLE_CREATED_SEC, livemode = false, object } = options
  const snapshot = structuredClone(snapshots[type])
  return {
    id,
    object: 'event',
    type,
    created,
    livemode,
    data: { object: { ...snapshot, livemode, ...object } },
  }
}

async function sign(secret: Uint8Array<ArrayBuffer>, content: Uint8Array<ArrayBuffer>): Promise<string> {
  const key = await importHmacKey(secret, 'sign')
  const signature = await crypto.subtle.sign('HMAC', key, content)
  return Array.from(new Uint8Array(signature), (byte) => byte.toString(16).padStart(2, '0')).join('')
}
