import { createPublicKey } from 'node:crypto'
import { cloneDatabase } from '@merchant-payments/testing'
import { afterAll, describe, expect, test } from 'vitest'
import { oauthRoutes } from '../../src/oauth/register.ts'
import { rsaKeys } from './forge.ts'
import { bootReplica, publicBaseUrl } from './replica.ts'

let nowMs = 1_800_000_000_000
const database = await cloneDatabase()
const key = { kid: 'service-1', privateKey: rsaKeys().privateKey }
const boot = (next = key) => bootReplica({ databaseUrl: database.appUrl, clock: () => nowMs, key: next })
const replica = await boot()
afterAll(async () => {
  await replica[Symbol.asyncDispose]()
  await database.drop()
})

const get = (path: string, to = replica) => fetch(`${to.origin}${path}`)
const keyOf = ({ privateKey }: typeof key) => {
  const { n, e } = createPublicKey(privateKey).export({ format: 'jwk' })
  return { n, e }
}
const jwkOf = (of: typeof key) => ({ kty: 'RSA', use: 'sig', alg: 'RS256', kid: of.kid, ...keyOf(of) })

const document = {
  issuer: 'https://pay.example/v1/oauth',
  token_endpoint: 'https://pay.example/v1/oauth/token',
  jwks_uri: 'https://pay.example/v1/oauth/jwks.json',
  grant_types_supported: ['client_credentials'],
  response_types_supported: [],
  scopes_supported: ['payments:read', 'payments:write'],
  token_endpoint_auth_methods_supported: ['private_key_jwt'],
  token_endpoint_auth_signing_alg_values_supported: ['RS256'],
}

describe('discovery', () => {
  test('lists what is served [§1.7, §4.1, §5.5]', async () => {
    const response = await get('/v1/oauth/.well-known/openid-configuration')
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8')
    expect(await response.json()).toEqual(document)
  })

  test('lists no address that is not served [§4.1]', async () => {
    const served: readonly string[] = oauthRoutes.map(({ path }) => `${publicBaseUrl}${path}`)
    const advertised = Object.values(document).filter((value) => String(value).startsWith('https://'))
    expect(advertised.filter((url) => url !== document.issuer && !served.includes(String(url)))).toEqual([])
    expect((await get('/v1/oauth/jwks.json')).status).toBe(200)
    expect((await fetch(`${replica.origin}/v1/oauth/token`, { method: 'POST' })).status).toBe(400)
  })
})

describe('the JWK set', () => {
  test('has the public part of the signing key, and can be cached for five minutes [§4.1, §8]', async () => {
    const response = await get('/v1/oauth/jwks.json')
    expect(response.status).toBe(200)
    expect(response.headers.get('cache-control')).toBe('public, max-age=300')
    expect(await response.json()).toEqual({ keys: [jwkOf(key)] })
  })

  test('has a retired key for 24 hours, at every replica [§5.5]', async () => {
    const next = { kid: 'service-2', privateKey: rsaKeys().privateKey }
    nowMs += 1_000
    await using rotated = await boot(next)
    expect(rotated.adoption).toBe('active')
    for (const one of [replica, rotated]) {
      expect(await (await get('/v1/oauth/jwks.json', one)).json()).toEqual({
        keys: [jwkOf(next), jwkOf(key)],
      })
    }
    nowMs += 24 * 60 * 60 * 1_000
    expect(await (await get('/v1/oauth/jwks.json')).json()).toEqual({ keys: [jwkOf(next)] })
  })
})
