import { cloneDatabase } from '@merchant-payments/testing'
import { revokeSigningKey } from '@merchant-payments/testing/operator'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { createTokenVerifier, mintAccessToken } from '../../src/oauth/access-token.ts'
import { REVOKED_KEY_SEEN_MAX_MS } from '../../src/oauth/key-ring.ts'
import { rsaKeys } from './forge.ts'
import { clients, formOf, nowSec, postToken } from './merchants.ts'
import { bootReplica, issuer, type Replica } from './replica.ts'

const key = (kid: string) => ({ kid, privateKey: rsaKeys().privateKey })
const [leaked, fresh] = [key('leaked'), key('fresh')]

let nowMs: number
const clock = () => nowMs
beforeEach(() => {
  nowMs = nowSec * 1_000
})

async function deployment() {
  const { url, drop } = await cloneDatabase()
  onTestFinished(drop)
  return {
    boot: async (signingKey: typeof leaked) => {
      const replica = await bootReplica({ databaseUrl: url, clock, key: signingKey, clients })
      onTestFinished(() => replica[Symbol.asyncDispose]())
      return replica
    },
    revoke: () => revokeSigningKey(url, leaked.kid),
  }
}

const grant = { issuer, clientId: 'shop', audience: 'service:v1', scopes: ['payments:read'] } as const
/** A token signed with the stolen key. Its claims are those of a real token. */
const forgeBy = ({ signer }: Replica) => mintAccessToken(signer, { ...grant, nowMs })

async function statusAt({ origin }: Replica, token: string): Promise<number> {
  const answer = await fetch(`${origin}/v1/customers`, { headers: { authorization: `Bearer ${token}` } })
  await answer.arrayBuffer()
  return answer.status
}

const statusesAt = (replicas: readonly Replica[], token: string) =>
  Promise.all(replicas.map((replica) => statusAt(replica, token)))

async function publishedBy({ origin }: Replica): Promise<string[]> {
  const answer = await fetch(`${origin}/v1/oauth/jwks.json`)
  const { keys } = (await answer.json()) as { keys: { kid: string }[] }
  return keys.map(({ kid }) => kid).sort()
}

/** The reader, whose answers pass through `pass`. */
function answering<T extends object>(reader: T, pass: (answer: unknown) => Promise<unknown>): T {
  return new Proxy(reader, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name)
      if (typeof value !== 'function') return value
      return (...given: unknown[]) => {
        const made: unknown = Reflect.apply(value, target, given)
        if (made instanceof Promise) return made.then(pass)
        return typeof made === 'object' && made !== null ? answering(made, pass) : made
      }
    },
  })
}

describe('a revoked signing key', () => {
  test('signs nothing that any replica accepts, from the named time on and without a restart', async () => {
    const { boot, revoke } = await deployment()
    const replicas = [await boot(leaked), await boot(leaked), await boot(fresh)]
    const [first, , rotated] = replicas as [Replica, Replica, Replica]
    const forged = await forgeBy(first)
    expect(await statusesAt(replicas, forged)).toEqual([200, 200, 200])

    await revoke()
    nowMs += REVOKED_KEY_SEEN_MAX_MS
    // A token that each replica has verified before, and one that is new to all.
    expect(await statusesAt(replicas, forged)).toEqual([401, 401, 401])
    expect(await statusesAt(replicas, await forgeBy(first))).toEqual([401, 401, 401])
    expect(await statusesAt(replicas, await forgeBy(rotated))).toEqual([200, 200, 200])
  })

  test('is refused after that time also if the keys were read before, and slowly', async () => {
    const { boot, revoke } = await deployment()
    const replica = await boot(leaked)
    const forged = await forgeBy(replica)
    const held = Promise.withResolvers<void>()
    const read = Promise.withResolvers<void>()
    const slowly = async (answer: unknown) => {
      read.resolve()
      await held.promise
      return answer
    }
    const verify = createTokenVerifier({
      issuer,
      reader: answering(replica.db.reader, slowly),
      clock,
      scopesOf: () => [],
    })

    const early = verify(forged)
    await read.promise
    await revoke()
    nowMs += REVOKED_KEY_SEEN_MAX_MS
    const late = verify(forged)
    held.resolve()
    expect(await early).toMatchObject({ merchantId: 'shop' })
    expect(await late).toBeNull()
  })

  test('is absent from the JWK set of every replica at once', async () => {
    const { boot, revoke } = await deployment()
    const replicas = [await boot(leaked), await boot(fresh)]
    expect(await Promise.all(replicas.map(publishedBy))).toEqual([
      ['fresh', 'leaked'],
      ['fresh', 'leaked'],
    ])
    await revoke()
    expect(await Promise.all(replicas.map(publishedBy))).toEqual([['fresh'], ['fresh']])
  })

  test('signs no more tokens at its own replica, and uses up no client’s assertion', async () => {
    const { boot, revoke } = await deployment()
    const [own, rotated] = [await boot(leaked), await boot(fresh)]
    expect(await postToken(own, formOf())).toMatchObject({ status: 200 })

    await revoke()
    nowMs += REVOKED_KEY_SEEN_MAX_MS
    const form = formOf()
    expect(await postToken(own, form)).toMatchObject({
      status: 503,
      body: { error: 'temporarily_unavailable' },
    })
    expect(own.refusals.join()).toContain('signing_key_ended')
    expect(await postToken(rotated, form)).toMatchObject({ status: 200 })
  })

  test('prevents the start of a replica', async () => {
    const { boot, revoke } = await deployment()
    await boot(leaked)
    await revoke()
    expect(await boot(leaked)).toMatchObject({ adoption: 'revoked_key' })
    expect(await boot(fresh)).toMatchObject({ adoption: 'active' })
  })
})
