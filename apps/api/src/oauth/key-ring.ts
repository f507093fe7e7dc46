import { createPublicKey, type KeyObject } from 'node:crypto'
import { type Clock, listPublishableKeys } from '@merchant-payments/core'
import type { Reader } from '@merchant-payments/db'

/** How long a key that is no longer publishable may still be known here; the JWK set's own max-age (spec 4.1). */
const AGE_MS_MAX = 300_000

/** Between two look-ups for keys that are not there: anyone can name one. */
const MISS_INTERVAL_MS = 100

export interface KeyRing {
  find(kid: string): Promise<KeyObject | null>
}

/** The publishable keys of the service, those of other replicas included: each may have been started with its own. */
export function createKeyRing({ reader, clock }: { reader: Reader; clock: Clock }): KeyRing {
  let keys: ReadonlyMap<string, KeyObject> = new Map()
  let loadedAtMs = Number.NEGATIVE_INFINITY
  let loading: Promise<void> | null = null

  async function load(): Promise<void> {
    const nowMs = clock()
    const jwks = await listPublishableKeys(reader, nowMs)
    keys = new Map(jwks.map((jwk) => [jwk.kid, createPublicKey({ key: { ...jwk }, format: 'jwk' })]))
    loadedAtMs = nowMs
  }

  return {
    async find(kid) {
      const ageMs = clock() - loadedAtMs
      if (ageMs >= AGE_MS_MAX || (!keys.has(kid) && ageMs >= MISS_INTERVAL_MS)) {
        loading ??= load().finally(() => {
          loading = null
        })
        await loading
      }
      return keys.get(kid) ?? null
    },
  }
}
