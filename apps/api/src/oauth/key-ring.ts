import { createPublicKey, type KeyObject } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { type Clock, listPublishableKeys, type PublishableKey } from '@merchant-payments/core'
import type { Reader } from '@merchant-payments/db'

/**
 * Lifetime of loaded keys, and so the longest time for which a replica accepts a revoked key (docs/operations.md).
 * Each replica reads the keys once in this time.
 */
export const REVOKED_KEY_SEEN_MAX_MS = 5_000

/** Shortest time between two loads for unknown kids, which anybody can send. */
const MISS_INTERVAL_MS = 100

export interface KeyRing {
  find(kid: string): Promise<KeyObject | null>
}

/**
 * The public keys of the service, including those of other replicas, which may sign with other keys. Revoked keys are
 * not included.
 */
export function createKeyRing({ reader, clock }: { reader: Reader; clock: Clock }): KeyRing {
  let keys: ReadonlyMap<string, Held> = new Map()
  let loadedAtMs = Number.NEGATIVE_INFINITY
  let loading: Promise<void> | null = null

  async function load(): Promise<void> {
    const nowMs = clock()
    const published = await listPublishableKeys(reader, nowMs)
    keys = new Map(published.map((one) => [one.jwk.kid, heldOf(one, keys.get(one.jwk.kid))]))
    loadedAtMs = nowMs
  }

  /** Concurrent calls share one load. `restMs` is the delay before it starts. */
  function loadAfter(restMs: number): Promise<void> {
    loading ??= (restMs > 0 ? delay(restMs).then(load) : load()).finally(() => {
      loading = null
    })
    return loading
  }

  /** Also true if the clock was set back. */
  const isOld = (askedAtMs: number): boolean =>
    askedAtMs - loadedAtMs >= REVOKED_KEY_SEEN_MAX_MS || clock() < loadedAtMs

  return {
    async find(kid) {
      const askedAtMs = clock()
      if (isOld(askedAtMs)) {
        await loadAfter(0)
        // A load that was already running may have read before this call. The next one has not.
        if (isOld(askedAtMs)) await loadAfter(0)
      }
      // Another replica may have just started with a new key: its first token waits for a load instead of a refusal.
      else if (!keys.has(kid)) await loadAfter(MISS_INTERVAL_MS - (askedAtMs - loadedAtMs))
      const held = keys.get(kid)
      // A retired key is valid for 24 hours to the second, however long it was cached (spec 5.5).
      return held === undefined || clock() >= held.untilMs ? null : held.key
    },
  }
}

interface Held {
  readonly key: KeyObject
  readonly untilMs: number
}

/** Reuses the imported key: a kid names the same key forever, and importing costs more than using it. */
const heldOf = ({ jwk, untilMs }: PublishableKey, before: Held | undefined): Held => ({
  key: before?.key ?? createPublicKey({ key: { ...jwk }, format: 'jwk' }),
  untilMs: untilMs ?? Number.POSITIVE_INFINITY,
})
