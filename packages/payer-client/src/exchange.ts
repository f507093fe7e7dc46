import type { Trouble } from './result.ts'
import type { Settings } from './settings.ts'
import { type Fetch, isAborted, type Signal, world } from './world.ts'

/** What can end a request before its time-out. */
export interface Limits {
  readonly signal?: Signal | undefined
  /** The rest of the caller's budget. */
  readonly leftMs?: () => number
}

export interface Call {
  readonly path: string
  /** Set for a POST; a read has neither key nor body. */
  readonly idempotencyKey?: string
  readonly body?: string
  readonly timeoutMs: number
  readonly limits: Limits
}

/** A refusal in the service's error envelope (spec 7.1). */
export interface Refused {
  readonly status: number
  readonly code: string
  readonly param: string | undefined
  readonly requestId: string | undefined
  readonly shouldRetry: boolean
}

/** The result of one request. With `trouble` it may or may not have arrived. */
export type Reply = { readonly found: unknown; readonly serverMs: number } | Refused | Lost

interface Lost {
  readonly trouble: Trouble
}

/** Sends one request once. Never rejects; an aborted request counts as lost. */
export function exchange(
  { baseUrl, publishableKey, clientSecret, clock, fetch }: Settings,
  { path, idempotencyKey, body, timeoutMs, limits: { signal, leftMs = () => timeoutMs } }: Call,
): Promise<Reply> {
  const controller = new world.AbortController()
  const mostMs = Math.max(0, Math.min(timeoutMs, leftMs()))

  const send = async (): Promise<Reply> => {
    const response = await fetch(baseUrl + path, {
      method: idempotencyKey === undefined ? 'GET' : 'POST',
      // Spec 4.6: this client never sends an Authorization header.
      headers: {
        Accept: 'application/json',
        'Publishable-Key': publishableKey,
        'Client-Secret': clientSecret,
        ...(idempotencyKey !== undefined && {
          'Content-Type': 'application/x-www-form-urlencoded',
          'Idempotency-Key': idempotencyKey,
        }),
      },
      ...(body !== undefined && { body }),
      signal: controller.signal,
      cache: 'no-store',
      credentials: 'omit',
      // A redirect would forward the secret.
      redirect: 'error',
      referrerPolicy: 'no-referrer',
    })
    return readReply(response, await response.text())
  }

  // Races the request with the signal, because some fetch implementations ignore it.
  return new Promise((resolve) => {
    const end = (reply: Reply) => {
      clock.clearTimeout(timer)
      signal?.removeEventListener('abort', stop)
      resolve(reply)
    }
    const lose = () => end({ trouble: 'network' })
    const stop = () => {
      lose()
      controller.abort()
    }
    const timer = clock.setTimeout(stop, mostMs)
    signal?.addEventListener('abort', stop)
    if (isAborted(signal) || mostMs === 0) stop()
    else send().then(end, lose)
  })
}

function readReply({ status, headers }: Awaited<ReturnType<Fetch>>, text: string): Reply {
  const found = parseJson(text) as { readonly error?: Partial<Refused> } | null | undefined
  if (status === 200 && found !== undefined) {
    return { found, serverMs: Date.parse(headers.get('date') ?? '') }
  }
  const isFault = status >= 500
  const { code, param } = found?.error ?? {}
  // Spec 7.1: a 405 or 413 has no envelope, and neither has a proxy's answer.
  if (typeof code !== 'string') return { trouble: isFault ? 'server' : 'protocol' }
  const advice = headers.get('compat-should-retry')
  return {
    status,
    code,
    param,
    requestId: headers.get('request-id') ?? undefined,
    shouldRetry: advice === null ? isFault : advice === 'true',
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
