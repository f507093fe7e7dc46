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

describe('a good assertion passes', () => {
  test.each<[string, string, string?]>([
    ['for the issuer', signed({ aud: issuer })],
    ['for the token endpoint', signed({ aud: tokenEndpoint })],
    ['without a type', headed({})],
    ['of type JWT', headed({ typ: 'JWT' })],
    ['of the type of draft-ietf-oauth-rfc7523bis', headed({ typ: 'client-authentication+jwt' })],
    ['with the kid of the one key', headed({ kid: 'one' })],
    ['with the kid of one of two keys', stalls({ kid: 'two' }), 'stall'],
    ['with header parameters that mean nothing to us', headed({ x5t: 'abc', cty: 'x' })],
    ['with claims of its own, nested', signed({ extra: { exp: 1, list: [{ exp: 2 }, '{"exp":3}'] } })],
    ['with colons and quotes within its strings', signed({ note: 'a":"b', '":': '\\' })],
    ['that expires in five minutes', signed({ exp: nowSec + 300 })],
    ['of a clock a minute fast', signed({ exp: nowSec + 360, iat: nowSec + 60, nbf: nowSec + 60 })],
    ['of a clock almost a minute slow', signed({ exp: nowSec - 59 })],
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

describe('an assertion is refused [§5.2]', () => {
  test.each(assertionForgeries)('($fault) $what', async ({ fault, clientId, assertion }) => {
    expect(await verdictOf(clientId, assertion)).toEqual({ fault })
  })
})
