import { scopes } from '@merchant-payments/config'
import { listPublishableKeys } from '@merchant-payments/core'
import type { Reader } from '@merchant-payments/db'
import { cloneDatabase } from '@merchant-payments/testing'
import { afterAll, afterEach, describe, expect, test } from 'vitest'
import { createTokenVerifier, mintAccessToken } from '../../src/oauth/access-token.ts'
import { REVOKED_KEY_SEEN_MAX_MS } from '../../src/oauth/key-ring.ts'
import { forge, rsaKeys } from './forge.ts'
import { bootReplica, issuer } from './replica.ts'
import { tokenClaims, tokenForgeries } from './token-forgeries.ts'

const DAY_MS = 24 * 60 * 60 * 1_000
const bootMs = 1_800_000_000_000
let nowMs = bootMs
const clock = () => nowMs
afterEach(() => {
  nowMs = bootMs
})

const database = await cloneDatabase()
afterAll(() => database.drop())

const key = (kid: string) => ({ kid, privateKey: rsaKeys().privateKey })
const [first, second] = [key('first'), key('second')]
const older = await bootReplica({ databaseUrl: database.appUrl, clock, key: first })
const newer = await bootReplica({ databaseUrl: database.appUrl, clock, key: second })
afterAll(async () => {
  await older[Symbol.asyncDispose]()
  await newer[Symbol.asyncDispose]()
})

const grant = { issuer, clientId: 'shop', audience: 'service:v1', scopes: ['payments:write'] } as const
const principal = { merchantId: 'shop', scopes: ['payments:write'] }
const mint = (by = newer) => mintAccessToken(by.signer, { ...grant, nowMs })

const signed = (changes: object, header: object = {}) =>
  forge(
    second.privateKey,
    { ...tokenClaims(), ...changes },
    { alg: 'RS256', typ: 'at+jwt', kid: 'second', ...header },
  )

const verifierOn = (reader: Reader) =>
  createTokenVerifier({
    issuer,
    reader,
    clock,
    scopesOf: (clientId) => (clientId === 'shop' ? scopes : undefined),
  })

describe('a token', () => {
  test('of one replica is valid at another that has another key', async () => {
    expect(await newer.verifyAccessToken(await mint(older))).toEqual(principal)
    expect(await older.verifyAccessToken(await mint(newer))).toEqual(principal)
  })

  test('is valid at a replica that did not know its signer’s key', async () => {
    const verify = verifierOn(older.db.reader)
    expect(await verify(await mint(older))).toEqual(principal)
    await using third = await bootReplica({ databaseUrl: database.appUrl, clock, key: key('third') })
    expect(await verify(await mint(third))).toEqual(principal)
  })

  test('is refused from its 900th second on, also if it was verified before [§8]', async () => {
    const token = await mint()
    expect(await newer.verifyAccessToken(token)).toEqual(principal)
    nowMs = bootMs + 899_999
    expect(await newer.verifyAccessToken(token)).toEqual(principal)
    nowMs = bootMs + 900_000
    expect(await newer.verifyAccessToken(token)).toBeNull()
    expect(await verifierOn(newer.db.reader)(token)).toBeNull()
  })

  test('built by hand like ours is valid', async () => {
    expect(await verifierOn(newer.db.reader)(signed({}))).toEqual(principal)
    expect(await verifierOn(newer.db.reader)(signed({ scope: '' }))).toEqual({
      merchantId: 'shop',
      scopes: [],
    })
  })

  test.each([...tokenForgeries(second, 'first'), ['that is empty', '']])(
    '%s is refused',
    async (_, token) => {
      expect(await verifierOn(newer.db.reader)(token)).toBeNull()
    },
  )
})

describe('a retired key', () => {
  test('is valid for 24 hours, in the JWK set and for tokens [§8]', async () => {
    const kidsAt = async (ms: number) =>
      (await listPublishableKeys(newer.db.reader, ms)).map(({ jwk }) => jwk.kid).sort()
    expect(await kidsAt(bootMs + DAY_MS - 1)).toContain('first')
    expect(await kidsAt(bootMs + DAY_MS)).not.toContain('first')
    nowMs = bootMs + DAY_MS - 1
    expect(await newer.verifyAccessToken(await mint(older))).toEqual(principal)
    // To the second, also if this replica has just read the key.
    nowMs = bootMs + DAY_MS
    expect(await newer.verifyAccessToken(await mint(older))).toBeNull()
  })
})

describe('the database', () => {
  function counted(reader: Reader) {
    const count = { queries: 0 }
    const counting = new Proxy(reader, {
      get(target, name) {
        if (name === 'selectFrom') count.queries += 1
        const value: unknown = Reflect.get(target, name)
        return typeof value === 'function' ? value.bind(target) : value
      },
    })
    return { count, verify: verifierOn(counting) }
  }

  test('reads the keys once per REVOKED_KEY_SEEN_MAX_MS, for all tokens together', async () => {
    const { count, verify } = counted(newer.db.reader)
    const tokens = await Promise.all(Array.from({ length: 20 }, () => mint()))
    expect(await Promise.all(tokens.map(verify))).toEqual(tokens.map(() => principal))
    nowMs += REVOKED_KEY_SEEN_MAX_MS - 1
    expect(await Promise.all(tokens.map(verify))).toEqual(tokens.map(() => principal))
    expect(count.queries).toBe(1)
    nowMs += 1
    expect(await Promise.all(tokens.map(verify))).toEqual(tokens.map(() => principal))
    expect(count.queries).toBe(2)
  })

  test('reads the keys once in a tenth of a second for unknown kids, however many tokens name one', async () => {
    const { count, verify } = counted(newer.db.reader)
    const flood = () =>
      Promise.all(Array.from({ length: 200 }, (_, n) => verify(signed({}, { kid: `nobody-${n}` }))))
    expect(await verify(await mint())).toEqual(principal)
    for (const queries of [2, 3]) {
      expect(new Set(await flood())).toEqual(new Set([null]))
      expect(count.queries).toBe(queries)
    }
  })
})
