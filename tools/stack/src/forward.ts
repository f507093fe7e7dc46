import type { IncomingHttpHeaders } from 'node:http'

/** Shorter than the service's own time-out (spec 6.3.7), so that the service hears what happened. */
const TIMEOUT_MS = 9_000
/** The answer to the service when the address gives none. */
const NO_ANSWER = 502
/** What the service sends with a webhook (spec 6.3.3). */
const SENT_ON = ['content-type', 'service-signature', 'compat-signature', 'service-event-id', 'user-agent']

/** A webhook that was sent on, and the status of the answer; null for no answer in time. */
export interface Forwarded {
  readonly url: string
  readonly status: number | null
}

export interface ForwardOptions {
  readonly forwardUrl?: string | undefined
  readonly onForwarded?: ((forwarded: Forwarded) => void) | undefined
}

/** Sends webhooks on to an address that may change. */
export function createForward({ forwardUrl, onForwarded }: ForwardOptions) {
  let url = forwardUrl ?? null
  return {
    url: () => url,
    to: (other: string | null): void => {
      url = other
    },
    /** The status to answer the service with. Null while there is no address. */
    send: async (body: Buffer, headers: IncomingHttpHeaders): Promise<number | null> => {
      if (url === null) return null
      const target = url
      const status = await post(target, body, headers)
      onForwarded?.({ url: target, status })
      return status ?? NO_ANSWER
    },
  }
}

export const isWebhookUrl = (text: string): boolean => /^https?:$/.test(URL.parse(text)?.protocol ?? '')

/** The `url` of a JSON body. Undefined if it is neither an address nor null. */
export function readUrl(body: Buffer | null): string | null | undefined {
  try {
    const { url } = JSON.parse(String(body)) as { url?: unknown }
    return url === null || (typeof url === 'string' && isWebhookUrl(url)) ? url : undefined
  } catch {
    return undefined
  }
}

/** Posts the bytes as they came, because the signature covers them. Null if no answer comes in time. */
async function post(url: string, body: Buffer, headers: IncomingHttpHeaders): Promise<number | null> {
  const sent = SENT_ON.flatMap((name) => {
    const value = headers[name]
    return typeof value === 'string' ? [[name, value] as const] : []
  })
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: Object.fromEntries(sent),
      body: new Uint8Array(body),
      redirect: 'manual',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
    await response.body?.cancel()
    return response.status
  } catch {
    return null
  }
}
