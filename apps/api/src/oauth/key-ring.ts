import { createPublicKey, type KeyObject } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { type Clock, listPublishableKeys, type PublishableKey } from '@merchant-payments/core'
import type { Reader } from '@merchant-payments/db'

/**
 * How long what was read serves, and so how long after its revocation a key still counts at a replica: a request that
 * comes later than this is refused (docs/operations.md). Each replica reads the keys once in that time.
 */
export const REVOKED_KEY_SEEN_MS_MAX = 5_000

/** Between two look-ups for keys that are not there: anyone can name one. */
const MISS_INTERVAL_MS = 100

export interface KeyRing {
  find(kid: string): Promise<KeyObject | null>
}

/**
 * The publishable keys of the service, those of other replicas included: each may have been started with its own. A key
 * that was revoked is none of them.
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

  /** Loads that are asked for at one time are one, and none begins too soon after the last. */
  function loadAfter(restMs: number): Promise<void> {
    loading ??= (restMs > 0 ? delay(restMs).then(load) : load()).finally(() => {
      loading = null
    })
    return loading
  }

  /** Also where the clock was set back: nobody may wait for it to catch up. */
  const isOld = (askedAtMs: number): boolean =>
    askedAtMs - loadedAtMs >= REVOKED_KEY_SEEN_MS_MAX || clock() < loadedAtMs

  return {
    async find(kid) {
      const askedAtMs = clock()
      if (isOld(askedAtMs)) {
        await loadAfter(0)
        // That load may have been under way, and have read long before this was asked: the next one has not.
        if (isOld(askedAtMs)) await loadAfter(0)
      }
      // Another replica may have begun with a new key a moment ago: its first token waits, and is not refused.
      else if (!keys.has(kid)) await loadAfter(MISS_INTERVAL_MS - (askedAtMs - loadedAtMs))
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

/** A kid names one key for ever, and importing it costs more than using it. */
const heldOf = ({ jwk, untilMs }: PublishableKey, before: Held | undefined): Held => ({
  key: before?.key ?? createPublicKey({ key: { ...jwk }, format: 'jwk' }),
  untilMs: untilMs ?? Number.POSITIVE_INFINITY,
})
