import { randomUUID } from 'node:crypto'
import { encode, forge, forgeBy, withStrayBits } from './forge.ts'
import { nowSec, serviceKey, shopKey, stallKey } from './merchants.ts'
import { issuer } from './replica.ts'

interface SigningKey {
  readonly kid: string
  readonly privateKey: typeof serviceKey.privateKey
}

/** Invalid bearer tokens, derived from those that the service signs with this key. */
export function tokenForgeries(key: SigningKey, otherKid: string): readonly [what: string, token: string][] {
  const claims = tokenClaims()
  const head = { alg: 'RS256', typ: 'at+jwt', kid: key.kid }
  const signed = (changes: object, headChanges: object = {}) =>
    forge(key.privateKey, { ...claims, ...changes }, { ...head, ...headChanges })
  const [header, body, signature] = signed({}).split('.') as [string, string, string]
  const servicePem = serviceKey.publicKey.export({ format: 'pem', type: 'spki' }).toString()
  return [
    ['for its client', signed({ aud: 'shop' })],
    ['for a list of audiences', signed({ aud: ['service:v1'] })],
    ['for another service', signed({ aud: 'service:v2' })],
    ['of another issuer', signed({ iss: 'https://evil.example/v1/oauth' })],
    ['of the issuer with a slash', signed({ iss: `${issuer}/` })],
    ['of the client as its issuer', signed({ iss: 'shop' })],
    ['without an expiry', signed({ exp: undefined })],
    ['whose expiry is text', signed({ exp: '9999999999' })],
    [
      'whose expiry is infinite',
      forge(key.privateKey, JSON.stringify(claims).replace(/"exp":\d+/, '"exp":1e400'), head),
    ],
    ['that lives longer than the service lets one', signed({ exp: nowSec + 901 })],
    ['that is good for a year', signed({ exp: nowSec + 31_536_000 })],
    ['without the time of its issue', signed({ iat: undefined })],
    ['whose time of issue is text', signed({ iat: String(nowSec) })],
    ['that is to be issued in an hour', signed({ iat: nowSec + 3_600, exp: nowSec + 3_700 })],
    ['that expires this second', signed({ exp: nowSec })],
    ['that expired a second ago', signed({ exp: nowSec - 1 })],
    ['without a subject', signed({ sub: undefined })],
    ['whose subject is a list', signed({ sub: ['shop'] })],
    ['of a client that is not registered', signed({ sub: 'nobody', client_id: 'nobody' })],
    ['without a scope', signed({ scope: undefined })],
    ['whose scope is a list', signed({ scope: ['payments:write'] })],
    ['that is an assertion by type', signed({}, { typ: 'JWT' })],
    ['without a type', signed({}, { typ: undefined })],
    ['without a kid', signed({}, { kid: undefined })],
    ['with the kid of another key of the service', signed({}, { kid: otherKid })],
    ['with a kid that is nobody’s', signed({}, { kid: `${key.kid}' or '1'='1` })],
    ['with a critical header', signed({}, { crit: ['scope'], scope: 'x' })],
    ['with another algorithm in its header', signed({}, { alg: 'RS512' })],
    ['by no algorithm', `${encode({ ...head, alg: 'none' })}.${body}.`],
    ['by HMAC with the public key as the secret', forgeBy('HS256', servicePem, claims)],
    ['of a stranger', forge(stallKey.privateKey, claims, head)],
    [
      'of a stranger who brings the key',
      forge(stallKey.privateKey, claims, { ...head, jwk: stallKey.publicKey.export({ format: 'jwk' }) }),
    ],
    [
      'of a stranger who says where the key is',
      forge(stallKey.privateKey, claims, { ...head, jku: 'https://evil.example/jwks' }),
    ],
    [
      'of a merchant, signed as its assertions are',
      forge(shopKey.privateKey, claims, { ...head, kid: 'one' }),
    ],
    ['with another payload', `${header}.${encode({ ...claims, sub: 'stall' })}.${signature}`],
    ['without a signature', `${header}.${body}.`],
    ['with stray bits in its last character', withStrayBits(signed({}))],
    ['of more than four kilobytes', signed({ note: 'a'.repeat(3_100) })],
    ['that is noise', 'a.b.c'],
  ]
}

export const tokenClaims = () => ({
  iss: issuer,
  sub: 'shop',
  client_id: 'shop',
  aud: 'service:v1',
  scope: 'payments:write',
  iat: nowSec,
  exp: nowSec + 900,
  jti: randomUUID(),
})
