import { randomUUID } from 'node:crypto'
import type { Random } from '@merchant-payments/testing/random'
import type { TestApi } from '../harness.ts'
import type { Caller } from './targets.ts'

/** Number of remembered objects per kind. */
const KNOWN_MAX = 50

export interface Callers {
  readonly get: (merchant: string) => Promise<Caller>
  /** Keeps the ids and secrets of an answer for later requests. @returns data that the merchant must not see */
  readonly learn: (merchant: string, body: unknown) => string[]
}

/** Two shops that sometimes use each other's ids. */
export function createCallers(api: TestApi, merchants: readonly string[]): Callers {
  const owners = new Map<string, string>()
  const ids = new Map<string, string[]>()
  const secrets = new Map<string, string[]>(merchants.map((merchant) => [merchant, []]))

  function keep(among: string[], what: string): void {
    if (among.push(what) > KNOWN_MAX) among.shift()
  }

  function learn(merchant: string, body: unknown): string[] {
    if (typeof body !== 'object' || body === null) return []
    const { id, client_secret: secret, data } = body as Record<string, unknown>
    const faults = Array.isArray(data) ? data.flatMap((item) => learn(merchant, item)) : []
    if (typeof secret === 'string') keep(secrets.get(merchant) ?? [], secret)
    if (typeof id !== 'string') return faults
    const owner = owners.get(id)
    if (owner !== undefined)
      return owner === merchant ? faults : [...faults, `shows ${owner}'s ${id} to ${merchant}`]
    owners.set(id, merchant)
    for (const prefix of ['*', id.split('_')[0] ?? '']) {
      const known = ids.get(prefix) ?? []
      ids.set(prefix, known)
      keep(known, id)
    }
    return faults
  }

  const idOf: Caller['idOf'] = (random, prefix) =>
    random.pick(ids.get(prefix) ?? [`${prefix}_0193f2d5e0a07c3e9b1a2b3c4d5e6f70`])
  const keyOf = (random: Random) => (random.chance(0.9) ? randomUUID() : `key-${random.int(1, 20)}`)

  return {
    learn,
    get: async (merchant) => ({
      merchant,
      token: await api.tokenFor(merchant),
      weakTokens: await Promise.all([
        api.tokenFor(merchant, ['payments:read']),
        api.tokenFor(merchant, []),
        api.tokenFor(merchant, ['payments:write'], merchant),
      ]),
      idOf,
      keyOf,
      secretOf: (random) => random.pick(secrets.get(merchant) ?? []),
    }),
  }
}
