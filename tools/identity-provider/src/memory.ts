import type { Adapter, AdapterPayload } from 'oidc-provider'

const KEPT_MAX = 1_000

/** An in-memory store for each kind of entry that the provider keeps. */
export function inMemory(): (kind: string) => Adapter {
  const kinds = new Map<string, Map<string, AdapterPayload>>()
  return (kind) => {
    const kept = kinds.get(kind) ?? new Map<string, AdapterPayload>()
    kinds.set(kind, kept)
    return storeOf(kept)
  }
}

function storeOf(kept: Map<string, AdapterPayload>): Adapter {
  const where = (fits: (payload: AdapterPayload) => boolean) => [...kept.values()].find(fits)
  return {
    upsert: async (id, payload) => {
      const [oldest] = kept.keys()
      if (kept.size >= KEPT_MAX && oldest !== undefined) kept.delete(oldest)
      kept.set(id, payload)
    },
    find: async (id) => kept.get(id),
    findByUid: async (uid) => where((payload) => payload.uid === uid),
    findByUserCode: async (code) => where((payload) => payload.userCode === code),
    consume: async (id) => {
      const payload = kept.get(id)
      if (payload !== undefined) kept.set(id, { ...payload, consumed: true })
    },
    destroy: async (id) => void kept.delete(id),
    revokeByGrantId: async (grantId) => {
      for (const [id, payload] of kept) if (payload.grantId === grantId) kept.delete(id)
    },
  }
}
