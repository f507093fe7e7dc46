/** What the payer's link gives the page. The client secret comes in the fragment, which no browser sends anywhere. */
export interface Link {
  readonly sessionId: string
  readonly clientSecret: string
  /** What follows the first dot of the secret: one page serves every merchant. */
  readonly publishableKey: string
}

const SESSION_PATH = /\/c\/(cs_[0-9a-f]{32})\/?$/
const SECRET = /^cs_[0-9a-f]{32}_secret_[\w-]+\.([\w-]+)$/

export const sessionIdIn = (path: string): string | null => SESSION_PATH.exec(path)?.[1] ?? null

/** Null for what cannot be a link of ours. */
export function linkOf(sessionId: string, clientSecret: string): Link | null {
  const publishableKey = SECRET.exec(clientSecret)?.[1]
  if (publishableKey === undefined || !clientSecret.startsWith(`${sessionId}_`)) return null
  return { sessionId, clientSecret, publishableKey }
}
