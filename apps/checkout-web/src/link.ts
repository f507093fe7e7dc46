import type { Link } from '@merchant-payments/payer-client/form/read-session'

export type { Link } from '@merchant-payments/payer-client/form/read-session'

const SESSION_PATH = /\/c\/(cs_[0-9a-f]{32})\/?$/
const SECRET = /^cs_[0-9a-f]{32}_secret_[\w-]+\.([\w-]+)$/

export const sessionIdIn = (path: string): string | null => SESSION_PATH.exec(path)?.[1] ?? null

/** The parts of the payer's link. The client secret is in the fragment, which browsers never send. */
export function linkOf(sessionId: string, clientSecret: string): Link | null {
  const publishableKey = SECRET.exec(clientSecret)?.[1]
  if (publishableKey === undefined || !clientSecret.startsWith(`${sessionId}_`)) return null
  return { sessionId, clientSecret, publishableKey }
}
