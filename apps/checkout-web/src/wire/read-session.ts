import type { Link } from '../link.ts'
import type { ServerClock } from '../server-clock.ts'
import type { BrowserSession } from './types.ts'

/** Rejects with an `Unread` alone. */
export type ReadSession = (signal?: AbortSignal) => Promise<BrowserSession>

/** No session came: there is none for this link, or there was no answer. */
export class Unread extends Error {
  override readonly name = 'Unread'
  readonly isNotFound: boolean

  constructor(isNotFound: boolean, options?: ErrorOptions) {
    super(isNotFound ? 'no such session' : 'no answer', options)
    this.isNotFound = isNotFound
  }
}

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
      if (!response.ok) throw new Unread(response.status === 404)
      serverClock.observe(response.headers.get('date'))
      return (await response.json()) as BrowserSession
    } catch (error) {
      throw error instanceof Unread ? error : new Unread(false, { cause: error })
    } finally {
      clearTimeout(timer)
      signal?.removeEventListener('abort', abort)
    }
  }
}

/** For a link without its secret: there is nothing to ask the API with, and the payer is told as of an unknown one. */
export const readNothing: ReadSession = () => Promise.reject(new Unread(true))
