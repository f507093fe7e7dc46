import type { Trouble } from './result.ts'
import type { Settings } from './settings.ts'
import { type Fetch, type Signal, world } from './world.ts'

export interface Call {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly idempotencyKey?: string
  readonly body?: string
  readonly timeoutMs: number
  readonly signal: Signal | undefined
}

/** A refusal in the service's own envelope (spec 7.1). */
export interface Refused {
  readonly kind: 'refused'
  readonly status: number
  readonly code: string
  readonly param: string | undefined
  readonly requestId: string | undefined
  readonly shouldRetry: boolean
}

/** What came of one request; `lost` leaves open whether it arrived. */
export type Reply =
  | { readonly kind: 'ok'; readonly body: unknown; readonly serverMs: number }
  | Refused
  | { readonly kind: 'lost'; readonly trouble: Trouble }

type Response = Awaited<ReturnType<Fetch>>

const lost = (trouble: Trouble): Reply => ({ kind: 'lost', trouble })

/** Sends one request once. Never rejects; an aborted one is lost. */
export function exchange(settings: Settings, call: Call): Promise<Reply> {
  const { clock, fetch } = settings
  const { method, path, idempotencyKey, body, timeoutMs, signal } = call
  const controller = new world.AbortController()

  const send = async (): Promise<Reply> => {
    const response = await fetch(settings.baseUrl + path, {
      method,
      // Spec 4.6: nothing here is or ever holds an Authorization header.
      headers: {
        Accept: 'application/json',
        'Publishable-Key': settings.publishableKey,
        'Client-Secret': settings.clientSecret,
        ...(idempotencyKey !== undefined && {
          'Content-Type': 'application/x-www-form-urlencoded',
          'Idempotency-Key': idempotencyKey,
        }),
      },
      ...(body !== undefined && { body }),
      signal: controller.signal,
      cache: 'no-store',
      credentials: 'omit',
      // A redirect would take the secret along.
      redirect: 'error',
      referrerPolicy: 'no-referrer',
    })
    return readReply(response, await response.text())
  }

  // Raced, because not every fetch heeds its signal.
  return new Promise((resolve) => {
    const end = (reply: Reply) => {
      clock.clearTimeout(timer)
      signal?.removeEventListener('abort', stop)
      resolve(reply)
    }
    const stop = () => {
      end(lost('network'))
      controller.abort()
    }
    const timer = clock.setTimeout(stop, timeoutMs)
    signal?.addEventListener('abort', stop)
    if (signal?.aborted === true) stop()
    else send().then(end, () => end(lost('network')))
  })
}

function readReply({ status, headers }: Response, text: string): Reply {
  const body = parseJson(text) as { error?: Partial<Refused> } | undefined
  const error = body?.error
  if (status === 200 && body !== undefined) {
    return { kind: 'ok', body, serverMs: Date.parse(headers.get('date') ?? '') }
  }
  // Spec 7.1: a 405 or 413 has no envelope, and a proxy's answer has none of ours.
  if (typeof error?.code !== 'string') return lost(status >= 500 ? 'server' : 'protocol')
  const advice = headers.get('compat-should-retry')
  return {
    kind: 'refused',
    status,
    code: error.code,
    param: error.param,
    requestId: headers.get('request-id') ?? undefined,
    shouldRetry: advice === null ? status >= 500 : advice === 'true',
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
