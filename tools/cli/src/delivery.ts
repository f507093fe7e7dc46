import { randomBytes } from 'node:crypto'
import type { Event, UnknownEvent } from '@merchant-payments/node-sdk'
import { signPayload } from '@merchant-payments/webhook-verifier/testing'

/** Spec 6.3.7: the service waits no longer for an endpoint. */
const TIMEOUT_MS = 10_000
const SECRET_BYTES = 32

export interface Answer {
  /** Null if none came in time. */
  readonly status: number | null
  readonly durationMs: number
}

export const newSecret = (): string => `whsec_${randomBytes(SECRET_BYTES).toString('base64url')}`

export const isAccepted = ({ status }: Answer): boolean => status !== null && status >= 200 && status < 300

/** Posts an event as the service does (spec 6.3.2 to 6.3.4), signed with a secret of this machine. */
export async function deliver(
  event: Event | UnknownEvent,
  { url, secret, signal }: { readonly url: string; readonly secret: string; readonly signal?: AbortSignal },
): Promise<Answer> {
  const body = JSON.stringify(event)
  const signature = await signPayload({ payload: body, secrets: secret })
  const timeout = AbortSignal.timeout(TIMEOUT_MS)
  const startedMs = performance.now()
  const status = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'service-signature': signature,
      'compat-signature': signature,
      'service-event-id': event.id,
    },
    body,
    redirect: 'manual',
    signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
  }).then(
    async (response) => {
      await response.body?.cancel()
      return response.status
    },
    () => null,
  )
  return { status, durationMs: Math.round(performance.now() - startedMs) }
}

export const answerWords = ({ status, durationMs }: Answer): string =>
  status === null ? 'no answer' : `${status} in ${durationMs} ms`
