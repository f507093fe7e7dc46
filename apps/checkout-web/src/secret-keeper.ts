import type { SafeStorage } from '@merchant-payments/payer-client/form/safe-storage'

/**
 * Keeps the secret while the payer is at a rail's page. The return address that the rail gets has no
 * fragment, so this browser stores the secret. It is removed once the session and the rail's time are over.
 */
export interface SecretKeeper {
  readonly keep: (sessionId: string, secret: string, expiresAtMs: number) => void
  /** The kept secret. The tab keeps it until `forget`, because a payer who goes back to the rail's page returns again. */
  readonly take: (sessionId: string) => string | null
  readonly isKept: (sessionId: string) => boolean
  readonly forget: (sessionId: string) => void
}

const PREFIX = 'checkout.secret.'

interface Kept {
  readonly secret: string
  readonly expiresAtMs: number
}

/**
 * Removes the secrets past their end, of whichever session. `tab` is safer. `browser` covers a rail that returns in
 * another tab, as in-app browsers do.
 */
export function secretKeeper(tab: SafeStorage, browser: SafeStorage, nowMs: number): SecretKeeper {
  const places = [tab, browser]
  for (const place of places) removeExpired(place, nowMs)
  const forget = (sessionId: string) => places.forEach((place) => place.remove(PREFIX + sessionId))

  return {
    keep: (sessionId, secret, expiresAtMs) => {
      const kept: Kept = { secret, expiresAtMs }
      for (const place of places) place.set(PREFIX + sessionId, JSON.stringify(kept))
    },
    take: (sessionId) => {
      const text = tab.get(PREFIX + sessionId) ?? browser.get(PREFIX + sessionId)
      forget(sessionId)
      const kept = text === null ? null : parseKept(text)
      if (kept === null) return null
      tab.set(PREFIX + sessionId, JSON.stringify(kept))
      return kept.secret
    },
    isKept: (sessionId) => tab.get(PREFIX + sessionId) !== null,
    forget,
  }
}

function removeExpired(place: SafeStorage, nowMs: number): void {
  for (const key of place.keys()) {
    if (!key.startsWith(PREFIX)) continue
    const kept = parseKept(place.get(key) ?? '')
    if (kept === null || kept.expiresAtMs <= nowMs) place.remove(key)
  }
}

function parseKept(text: string): Kept | null {
  try {
    const { secret, expiresAtMs } = JSON.parse(text) as Partial<Kept>
    return typeof secret === 'string' && typeof expiresAtMs === 'number' ? { secret, expiresAtMs } : null
  } catch {
    return null
  }
}
