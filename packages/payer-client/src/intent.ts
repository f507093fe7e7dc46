import type { BrowserIntent } from './wire.ts'

const statuses: BrowserIntent['status'][] = ['requires_payment_method', 'processing', 'succeeded', 'canceled']

/**
 * Returns null if the body is not this intent, such as the login page of a hotel's network. Such a body must
 * not decide anything.
 */
export function parseIntent(body: unknown, id: string): BrowserIntent | null {
  const intent = body as BrowserIntent | null
  return intent?.id === id &&
    intent.object === 'payment_intent' &&
    statuses.includes(intent.status) &&
    isRecordOrNull(intent.last_payment_error) &&
    isRecordOrNull(intent.live_charge) &&
    (intent.next_action === null || isWebAddress(intent.next_action?.redirect_to_url?.url))
    ? intent
    : null
}

const isRecordOrNull = (value: unknown): boolean => typeof value === 'object'

/** The payer is sent to this URL, so `javascript:` must not pass. */
const isWebAddress = (url: unknown): boolean => typeof url === 'string' && /^https?:\/\//i.test(url)
