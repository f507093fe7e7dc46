import { randomUUID } from 'node:crypto'
import { listPublishableKeys } from '@merchant-payments/core'
import type { Reader } from '@merchant-payments/db'
import { cloneDatabase } from '@merchant-payments/testing'
import { afterAll, afterEach, describe, expect, test } from 'vitest'
import { createTokenVerifier, mintAccessToken } from '../../src/oauth/access-token.ts'
import { forge, rsaKeys } from './forge.ts'
import { bootReplica, issuer } from './replica.ts'

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
const older = await bootReplica({ databaseUrl: database.url, clock, key: first })
const newer = await bootReplica({ databaseUrl: database.url, clock, key: second })
afterAll(async () => {
  await older[Symbol.asyncDispose]()
  await newer[Symbol.asyncDispose]()
})

const grant = { issuer, clientId: 'shop', audience: 'service:v1', scopes: ['payments:write'] } as const
const principal = { merchantId: 'shop', scopes: ['payments:write'] }
const mint = (by = newer) => mintAccessToken(by.signer, { ...grant, nowMs })

const claims = {
  iss: issuer,
  sub: 'shop',
  client_id: 'shop',
  aud: 'service:v1',
  scope: 'payments:write',
  iat: bootMs / 1_000,
  exp: bootMs / 1_000 + 900,
  jti: randomUUID(),
}
const header = { alg: 'RS256', typ: 'at+jwt', kid: 'second' }
const signed = (changes: object, headerChanges: object = {}) =>
  forge(second.privateKey, { ...claims, ...changes }, { ...header, ...headerChanges })

const verifierOn = (reader: Reader) => createTokenVerifier({ issuer, reader, clock })

describe('a token', () => {
  test('of one replica is good at another that has another key', async () => {
    expect(await newer.verifyAccessToken(await mint(older))).toEqual(principal)
    expect(await older.verifyAccessToken(await mint(newer))).toEqual(principal)
  })

  test('is good at a replica that knew no key of its signer', async () => {
    const verify = verifierOn(older.reader)
    expect(await verify(await mint(older))).toEqual(principal)
    await using third = await bootReplica({ databaseUrl: database.url, clock, key: key('third') })
    nowMs += 100
    expect(await verify(await mint(third))).toEqual(principal)
  })

  test('is refused from its 900th second on, and was verified before', async () => {
    const token = await mint()
    expect(await newer.verifyAccessToken(token)).toEqual(principal)
    nowMs = bootMs + 899_999
    expect(await newer.verifyAccessToken(token)).toEqual(principal)
    nowMs = bootMs + 900_000
    expect(await newer.verifyAccessToken(token)).toBeNull()
    expect(await verifierOn(newer.reader)(token)).toBeNull()
  })

  test('made by hand as ours are is good', async () => {
    expect(await verifierOn(newer.reader)(signed({}))).toEqual(principal)
    expect(await verifierOn(newer.reader)(signed({ scope: '' }))).toEqual({ merchantId: 'shop', scopes: [] })
  })

  const [head = '', body = '', signature = ''] = signed({}).split('.')
  test.each([
    ['for its client', signed({ aud: 'shop' })],
    ['for a list of audiences', signed({ aud: ['service:v1'] })],
    ['of another issuer', signed({ iss: 'https://evil.example/v1/oauth' })],
    ['without an expiry', signed({ exp: undefined })],
    ['whose expiry is text', signed({ exp: '9999999999' })],
    ['without a subject', signed({ sub: undefined })],
    ['without a scope', signed({ scope: undefined })],
    ['that is an assertion by type', signed({}, { typ: 'JWT' })],
    ['without a type', signed({}, { typ: undefined })],
    ['without a kid', signed({}, { kid: undefined })],
    ['with the kid of another key of the service', signed({}, { kid: 'first' })],
    ['with a kid that is nobody’s', signed({}, { kid: "second' or '1'='1" })],
    ['with a critical header', signed({}, { crit: ['scope'], scope: 'x' })],
    ['with another algorithm in its header', signed({}, { alg: 'RS512' })],
    ['of a stranger', forge(rsaKeys().privateKey, claims, header)],
    [
      'with another payload',
      `${head}.${Buffer.from(JSON.stringify({ ...claims, sub: 'stall' })).toString('base64url')}.${signature}`,
    ],
    ['with white space', `${head}.${body}. ${signature}`],
    ['without a signature', `${head}.${body}.`],
    ['that is empty', ''],
    ['that is noise', 'a.b.c'],
  ])('%s is refused', async (_, token) => {
    expect(await verifierOn(newer.reader)(token)).toBeNull()
  })
})

describe('a retired key', () => {
  test('is good for 24 hours, in the JWK set and for tokens', async () => {
    const kidsAt = async (ms: number) =>
      (await listPublishableKeys(newer.reader, ms)).map(({ kid }) => kid).sort()
    expect(await kidsAt(bootMs + DAY_MS - 1)).toContain('first')
    expect(await kidsAt(bootMs + DAY_MS)).not.toContain('first')
    nowMs = bootMs + DAY_MS - 1
    expect(await newer.verifyAccessToken(await mint(older))).toEqual(principal)
    // Past the age of the keys that this replica keeps.
    nowMs = bootMs + DAY_MS + 300_000
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

  test('is asked once for the keys, and not again for a token that was verified', async () => {
    const { count, verify } = counted(newer.reader)
    const tokens = await Promise.all(Array.from({ length: 20 }, () => mint()))
    expect(await Promise.all(tokens.map(verify))).toEqual(tokens.map(() => principal))
    // So late that the keys would be read again, were the signatures not known.
    nowMs += 300_000
    expect(await Promise.all(tokens.map(verify))).toEqual(tokens.map(() => principal))
    expect(count.queries).toBe(1)
  })

  test('is asked ten times a second at most for kids that are nobody’s', async () => {
    const { count, verify } = counted(newer.reader)
    for (let sent = 0; sent < 200; sent += 1) {
      expect(await verify(signed({}, { kid: `nobody-${sent}` }))).toBeNull()
      nowMs += 5
    }
    expect(count.queries).toBe(10)
  })
})
