import { type Call, exchange } from './exchange.ts'
import { type BrowserIntent, parseIntent } from './intent.ts'
import type { Trouble } from './result.ts'
import { type BrowserSession, parseSession } from './session.ts'
import type { Settings } from './settings.ts'
import type { Signal } from './world.ts'

/** What one read showed. `skewMs` is how far the service's clock is ahead of this device's. */
export type Look<T> =
  | { readonly found: T; readonly skewMs: number }
  | { readonly missing: true }
  | { readonly trouble: Trouble }

export interface Reads {
  readonly intent: (signal: Signal | undefined) => Promise<Look<BrowserIntent>>
  readonly session: (signal: Signal | undefined) => Promise<Look<BrowserSession>>
}

const READ_TIMEOUT_MS = 8_000

export function createReads(settings: Settings): Reads {
  const { secret, clock } = settings
  let intentId = secret.kind === 'pi' ? secret.id : undefined

  async function look<T>(
    path: Call['path'],
    parse: (body: unknown) => T | null,
    signal: Signal | undefined,
  ): Promise<Look<T>> {
    const reply = await exchange(settings, { method: 'GET', path, timeoutMs: READ_TIMEOUT_MS, signal })
    if (reply.kind === 'lost') return { trouble: reply.trouble }
    if (reply.kind === 'refused') {
      return reply.status === 404 ? { missing: true } : { trouble: reply.shouldRetry ? 'server' : 'protocol' }
    }
    const found = parse(reply.body)
    // No header, or one that another origin may not read: the device's clock is taken for right.
    return found === null ? { trouble: 'protocol' } : { found, skewMs: reply.serverMs - clock.now() || 0 }
  }

  const session = (signal: Signal | undefined) =>
    look(`/v1/browser/checkout/sessions/${secret.id}`, (body) => parseSession(body, secret.id), signal)

  return {
    session,
    async intent(signal) {
      const id = intentId
      if (id !== undefined) return look(intentPath(id), (body) => parseIntent(body, id), signal)
      const seen = await session(signal)
      if (!('found' in seen)) return seen
      intentId = seen.found.payment_intent.id
      return { ...seen, found: seen.found.payment_intent }
    },
  }
}

export const intentPath = (id: string): string => `/v1/browser/payment_intents/${id}`
