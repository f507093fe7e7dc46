import { describe, expect, test } from 'vitest'
import { assertionForgeries } from '../../test/oauth/assertion-forgeries.ts'
import { claimsOf, forge } from '../../test/oauth/forge.ts'
import { clients, nowSec, serviceKey, shopKey } from '../../test/oauth/merchants.ts'
import { issuer } from '../../test/oauth/replica.ts'
import { verifyAssertion } from './assertion.ts'

const tokenEndpoint = `${issuer}/token`
const good = claimsOf('shop', issuer, nowSec)
const signed = (claims: object) => forge(shopKey.privateKey, { ...good, ...claims })
const headed = (header: object) => forge(shopKey.privateKey, good, { alg: 'RS256', ...header })
const stalls = (header: object) =>
  forge(shopKey.privateKey, { ...good, iss: 'stall', sub: 'stall' }, { alg: 'RS256', ...header })

const verdictOf = (clientId: string, assertion: string) =>
  verifyAssertion(assertion, {
    clientId,
    keys: clients.get(clientId)?.jwks ?? null,
    audiences: [tokenEndpoint, issuer],
    nowSec,
    decoyKey: serviceKey.publicKey,
  })

describe('verifyAssertion accepts a valid assertion', () => {
  test.each<[string, string, string?]>([
    ['for the issuer', signed({ aud: issuer })],
    ['for the token endpoint', signed({ aud: tokenEndpoint })],
    ['without a type', headed({})],
    ['of type JWT', headed({ typ: 'JWT' })],
    [
      'with typ client-authentication+jwt (draft-ietf-oauth-rfc7523bis)',
      headed({ typ: 'client-authentication+jwt' }),
    ],
    ['with the kid of the one key', headed({ kid: 'one' })],
    ['with the kid of one of two keys', stalls({ kid: 'two' }), 'stall'],
    ['with unknown header parameters', headed({ x5t: 'abc', cty: 'x' })],
    ['with nested claims of its own', signed({ extra: { exp: 1, list: [{ exp: 2 }, '{"exp":3}'] } })],
    ['with colons and quotes within its strings', signed({ note: 'a":"b', '":': '\\' })],
    ['with exp in five minutes', signed({ exp: nowSec + 300 })],
    ['from a clock that is a minute fast', signed({ exp: nowSec + 360, iat: nowSec + 60, nbf: nowSec + 60 })],
    ['from a clock that is almost a minute slow', signed({ exp: nowSec - 59 })],
    ['with a fractional iat', signed({ iat: nowSec - 0.5 })],
    ['with spaces in its JSON', forge(shopKey.privateKey, JSON.stringify(good, null, 2))],
  ])('%s', async (_, assertion, clientId = 'shop') => {
    const { exp } = JSON.parse(Buffer.from(assertion.split('.')[1] ?? '', 'base64url').toString()) as {
      exp: number
    }
    expect(await verdictOf(clientId, assertion)).toEqual({
      fault: null,
      jti: good.jti,
      refusedFromSec: exp + 60,
    })
  })
})

describe('verifyAssertion refuses an assertion [§5.2]', () => {
  test.each(assertionForgeries)('($fault) $what', async ({ fault, clientId, assertion }) => {
    expect(await verdictOf(clientId, assertion)).toEqual({ fault })
  })
})
