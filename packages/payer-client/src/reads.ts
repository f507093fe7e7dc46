import { exchange, type Limits } from './exchange.ts'
import { parseIntent } from './intent.ts'
import type { Trouble } from './result.ts'
import { parseSession } from './session.ts'
import type { Settings } from './settings.ts'
import type { BrowserIntent, BrowserSession } from './wire.ts'

/** The result of one read. `skewMs` is how far the service's clock is ahead of this device's. */
type Look<T> = { readonly found: T; readonly skewMs: number } | { readonly trouble: Trouble | 'not_found' }

export type Read<T> = (limits: Limits) => Promise<Look<T>>

export interface Reads {
  readonly intent: Read<BrowserIntent>
  readonly session: Read<BrowserSession>
}

const READ_TIMEOUT_MS = 8_000

export function createReads(settings: Settings): Reads {
  const { secret, clock } = settings
  let intentId = secret.kind === 'pi' ? secret.id : undefined

  async function look<T>(
    path: string,
    id: string,
    parse: (body: unknown, id: string) => T | null,
    limits: Limits,
  ): Promise<Look<T>> {
    const reply = await exchange(settings, { path: path + id, timeoutMs: READ_TIMEOUT_MS, limits })
    if ('trouble' in reply) return reply
    if ('code' in reply) {
      return { trouble: reply.status === 404 ? 'not_found' : reply.shouldRetry ? 'server' : 'protocol' }
    }
    const found = parse(reply.found, id)
    // Without a readable Date header, the device's clock is assumed to be right.
    return found === null ? { trouble: 'protocol' } : { found, skewMs: reply.serverMs - clock.now() || 0 }
  }

  const session: Reads['session'] = (limits) => look(SESSIONS, secret.id, parseSession, limits)

  return {
    session,
    async intent(limits) {
      if (intentId !== undefined) return look(INTENTS, intentId, parseIntent, limits)
      const seen = await session(limits)
      if (!('found' in seen)) return seen
      const found = seen.found.payment_intent
      intentId = found.id
      return { ...seen, found }
    },
  }
}

const SESSIONS = '/v1/browser/checkout/sessions/'
export const INTENTS = '/v1/browser/payment_intents/'
