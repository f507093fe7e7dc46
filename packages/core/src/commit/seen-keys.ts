import type { KeyClaim } from './key.ts'

/** 512 kB a pool. A flood of new keys pushes out old ones, whose replays are then only slower. */
const SLOTS = 2 ** 17

export interface SeenKeys {
  readonly add: (claim: KeyClaim) => void
  /** Whether this process has answered this request. Can be false for an old request, because slots are reused. */
  readonly has: (claim: KeyClaim) => boolean
}

/**
 * Remembers the requests that this process has answered, as one 32-bit hash each. A replay of one reads the stored
 * answer. Without this it would claim the key, which locks the row and waits for a disk flush. A false positive costs
 * one read.
 */
export function rememberKeys(): SeenKeys {
  const slots = new Uint32Array(SLOTS)
  const placeOf = ({ merchantId, scope, key, fingerprint }: KeyClaim) => {
    const ofKey = hashOf(key, hashOf(scope, hashOf(merchantId)))
    // The lowest bit is set, because 0 means an empty slot.
    return { slot: ofKey % SLOTS, mark: ((ofKey ^ fingerprint.readUInt32LE(0)) | 1) >>> 0 }
  }
  return {
    add: (claim) => {
      const { slot, mark } = placeOf(claim)
      slots[slot] = mark
    },
    has: (claim) => {
      const { slot, mark } = placeOf(claim)
      return slots[slot] === mark
    },
  }
}

const FNV_OFFSET = 0x811c9dc5
const FNV_PRIME = 0x01000193

/** FNV-1a of 32 bits. Needs no secret: who makes keys collide only makes their own replays slower. */
function hashOf(text: string, from = FNV_OFFSET): number {
  let hash = from
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), FNV_PRIME)
  return hash >>> 0
}
