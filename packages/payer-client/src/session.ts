import { parseIntent } from './intent.ts'
import type { BrowserSession } from './wire.ts'

export function parseSession(body: unknown, id: string): BrowserSession | null {
  const session = body as BrowserSession | null
  return session?.id === id &&
    session.object === 'checkout.session' &&
    typeof session.payment_intent?.id === 'string' &&
    parseIntent(session.payment_intent, session.payment_intent.id) !== null &&
    Array.isArray(session.rails)
    ? session
    : null
}
