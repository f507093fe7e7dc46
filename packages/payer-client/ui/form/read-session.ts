import type { Trouble } from './facts.ts'
import type { ServerClock } from './server-clock.ts'
import type { BrowserSession } from './types.ts'

/** The parts of a session's client secret. */
export interface Link {
  readonly sessionId: string
  readonly clientSecret: string
  /** The part of the secret after its first dot. One page serves every merchant. */
  readonly publishableKey: string
}

/**
 * The result of one read. not_found: no session has this link. incomplete: the link has no secret of its session.
 * no_answer: the read must be repeated.
 */
export type SessionRead = { readonly session: BrowserSession } | { readonly trouble: Trouble }

export type ReadSession = (signal?: AbortSignal) => Promise<SessionRead>

const TIMEOUT_MS = 8_000

/**
 * The only request that the page makes without the payer client, to keep its first script small. Credentials
 * are sent in headers, never in the URL.
 */
export function sessionReader(link: Link, baseUrl: string, serverClock: ServerClock): ReadSession {
  return async (signal) => {
    const controller = new AbortController()
    const abort = () => controller.abort()
    const timer = setTimeout(abort, TIMEOUT_MS)
    signal?.addEventListener('abort', abort)
    try {
      const response = await fetch(`${baseUrl}/v1/browser/checkout/sessions/${link.sessionId}`, {
        headers: { 'publishable-key': link.publishableKey, 'client-secret': link.clientSecret },
        signal: controller.signal,
        // A request without credentials opens a connection of its own, which takes a phone two round trips more. The
        // API sets no cookie and reads none.
        credentials: 'same-origin',
        cache: 'no-store',
        referrerPolicy: 'no-referrer',
      })
      if (!response.ok) return { trouble: response.status === 404 ? 'not_found' : 'no_answer' }
      serverClock.observe(response.headers.get('date'))
      return { session: (await response.json()) as BrowserSession }
    } catch {
      return { trouble: 'no_answer' }
    } finally {
      clearTimeout(timer)
      signal?.removeEventListener('abort', abort)
    }
  }
}

/** For a link without its secret, which cannot be read. The payer sees the screen of an unknown link. */
export const readNothing: ReadSession = () => Promise.resolve({ trouble: 'incomplete' })
