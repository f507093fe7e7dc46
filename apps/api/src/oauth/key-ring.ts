import { createPublicKey, type KeyObject } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { type Clock, listPublishableKeys, type PublishableKey } from '@merchant-payments/core'
import type { Reader } from '@merchant-payments/db'

/** How long what was read serves; the JWK set's own max-age (spec 4.1). */
const AGE_MS_MAX = 300_000

/** Between two look-ups for keys that are not there: anyone can name one. */
const MISS_INTERVAL_MS = 100

export interface KeyRing {
  find(kid: string): Promise<KeyObject | null>
}

/** The publishable keys of the service, those of other replicas included: each may have been started with its own. */
export function createKeyRing({ reader, clock }: { reader: Reader; clock: Clock }): KeyRing {
  let keys: ReadonlyMap<string, Held> = new Map()
  let loadedAtMs = Number.NEGATIVE_INFINITY
  let loading: Promise<void> | null = null

  async function load(): Promise<void> {
    const nowMs = clock()
    const published = await listPublishableKeys(reader, nowMs)
    keys = new Map(published.map((one) => [one.jwk.kid, heldOf(one)]))
    loadedAtMs = nowMs
  }

  /** Loads that are asked for at one time are one, and none begins too soon after the last. */
  function loadAfter(restMs: number): Promise<void> {
    loading ??= (restMs > 0 ? delay(restMs).then(load) : load()).finally(() => {
      loading = null
    })
    return loading
  }

  return {
    async find(kid) {
      const ageMs = clock() - loadedAtMs
      // Negative: the clock was set back, and nobody may wait for it to catch up.
      if (ageMs >= AGE_MS_MAX || ageMs < 0) await loadAfter(0)
      // Another replica may have begun with a new key a moment ago: its first token waits, and is not refused.
      else if (!keys.has(kid)) await loadAfter(MISS_INTERVAL_MS - ageMs)
      const held = keys.get(kid)
      // Spec 5.5: 24 hours to the second, whenever it was read.
      return held === undefined || clock() >= held.untilMs ? null : held.key
    },
  }
}

interface Held {
  readonly key: KeyObject
  readonly untilMs: number
}

const heldOf = ({ jwk, untilMs }: PublishableKey): Held => ({
  key: createPublicKey({ key: { ...jwk }, format: 'jwk' }),
  untilMs: untilMs ?? Number.POSITIVE_INFINITY,
})
