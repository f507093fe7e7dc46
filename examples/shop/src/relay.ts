import { setTimeout as delay } from 'node:timers/promises'
import type { TakeWebhook } from './webhooks.ts'

interface Received {
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

const EVERY_MS = 500
const READ_TIMEOUT_MS = 5_000
/** The development system keeps no more webhooks. */
const SEEN_MAX = 1_000

/**
 * Brings webhooks to this shop as a tunnel would. The development system delivers to its own receiver, which
 * does not know this shop. For a real shop, the service's operator configures the endpoint.
 */
export async function relayWebhooks(
  receivedUrl: string,
  take: TakeWebhook,
  signal: AbortSignal,
): Promise<void> {
  const seen = new Set<string>()
  while (!signal.aborted) {
    for (const { headers, body } of await listReceived(receivedUrl, signal)) {
      const id = headers['service-event-id'] ?? ''
      if (seen.has(id)) continue
      await take(body, headers)
      seen.add(id)
      const [oldest] = seen
      if (seen.size > SEEN_MAX && oldest !== undefined) seen.delete(oldest)
    }
    await delay(EVERY_MS, undefined, { signal }).catch(() => undefined)
  }
}

/** Empty while the development system is down. */
async function listReceived(receivedUrl: string, signal: AbortSignal): Promise<readonly Received[]> {
  try {
    const response = await fetch(receivedUrl, {
      signal: AbortSignal.any([signal, AbortSignal.timeout(READ_TIMEOUT_MS)]),
    })
    return ((await response.json()) as { data: Received[] }).data
  } catch {
    return []
  }
}
