import { createPublicKey, type KeyObject } from 'node:crypto'
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

  return {
    async find(kid) {
      const nowMs = clock()
      const ageMs = nowMs - loadedAtMs
      if (ageMs >= AGE_MS_MAX || (!keys.has(kid) && ageMs >= MISS_INTERVAL_MS)) {
        loading ??= load().finally(() => {
          loading = null
        })
        await loading
      }
      const held = keys.get(kid)
      // Spec 5.5: 24 hours to the second, whenever it was read.
      return held === undefined || nowMs >= held.untilMs ? null : held.key
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
