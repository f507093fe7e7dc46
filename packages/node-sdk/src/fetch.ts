import type { Transport, TransportResponse } from './transport.ts'

/**
 * A transport over `fetch`, for runtimes without `node:http` and for a `fetch` of your own.
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
  (fetchImplementation?: typeof fetch): Transport =>
  async ({ method, url, headers, body, signal, maxResponseBytes }) => {
    // Reads the global per call, so that an interceptor that a test installs later takes effect.
    const response = await (fetchImplementation ?? fetch)(url, {
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
