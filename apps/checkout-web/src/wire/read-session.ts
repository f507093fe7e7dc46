import type { Link } from '../link.ts'
import type { ServerClock } from '../server-clock.ts'
import type { BrowserSession } from './types.ts'

/** What one read showed. `not_found`: there is no session for this link. `no_answer`: it has to be asked for again. */
export type SessionRead =
  | { readonly session: BrowserSession }
  | { readonly trouble: 'no_answer' | 'not_found' }

/** Never rejects. */
export type ReadSession = (signal?: AbortSignal) => Promise<SessionRead>

const TIMEOUT_MS = 8_000

/**
 * The one read that the page makes by itself, so that its first script is small; all else is the payer client's.
 * Credentials travel in headers, never in an address.
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
        credentials: 'omit',
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

/** For a link without its secret: there is nothing to ask the API with, and the payer is told as of an unknown one. */
export const readNothing: ReadSession = () => Promise.resolve({ trouble: 'not_found' })
