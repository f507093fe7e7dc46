import type { Transport, TransportResponse } from './transport.ts'

/** The `fetch` that the program's types declare. A program without one gets a function of the same use. */
export type Fetch = typeof globalThis extends { fetch: infer Native }
  ? Native
  : (url: string, init: object) => Promise<object>

/**
 * A transport over `fetch`: the default outside Node, and for a `fetch` of your own. A `TypeError` of your own counts as a
 * lost connection if it has a `cause`, and otherwise as a bug.
 *
 * @example
 * ```ts
 * import { createMerchantPayments } from '@merchant-payments/node-sdk'
 * import { fetchTransport } from '@merchant-payments/node-sdk/fetch'
 *
 * const payments = createMerchantPayments({ baseUrl, clientId, privateKey, transport: fetchTransport() })
 * ```
 */
export const fetchTransport =
  (fetchImplementation?: Fetch): Transport =>
  async ({ method, url, headers, body, signal, maxResponseBytes }) => {
    // Reads the global per call, so that an interceptor that a test installs later takes effect.
    const send = fetchImplementation ?? globalThis.fetch
    if (typeof send !== 'function') throw new TypeError('there is no fetch: pass one, or another transport')
    try {
      const response = await send(url, {
        method,
        headers,
        signal,
        redirect: 'manual',
        ...(body === undefined ? {} : { body }),
      })
      return {
        status: response.status,
        headers: Object.fromEntries([...response.headers].filter(([name]) => name !== 'set-cookie')),
        body: await readBody(response, maxResponseBytes),
      }
    } catch (error) {
      // Fetch reports a failed connection as a TypeError, which for the client means a bug in the transport. A fetch of the
      // caller has such bugs too: there only a TypeError with a cause is one of the runtime's fetch.
      throw error instanceof Error &&
        error.name === 'TypeError' &&
        (fetchImplementation === undefined || error.cause !== undefined)
        ? new Error('fetch failed', { cause: error.cause ?? error })
        : error
    }
  }

async function readBody(response: Response, maxBytes: number): Promise<TransportResponse['body']> {
  const reader = response.body?.getReader()
  if (reader === undefined) return ''
  const decoder = new TextDecoder()
  let text = ''
  for (let bytes = 0; ; ) {
    const chunk = await reader.read()
    if (chunk.done) return text + decoder.decode()
    bytes += chunk.value.length
    if (bytes > maxBytes) {
      await reader.cancel()
      return null
    }
    text += decoder.decode(chunk.value, { stream: true })
  }
}
