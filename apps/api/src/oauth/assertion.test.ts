import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { claimsOf, encode, forge, forgeBy, rsaKeys } from '../../test/oauth/forge.ts'
import { type AssertionFault, type Expected, verifyAssertion } from './assertion.ts'

const nowSec = 1_800_000_000
const tokenEndpoint = 'https://pay.example/v1/oauth/token'
const issuer = 'https://pay.example/v1/oauth'
const { privateKey, publicKey } = rsaKeys()
const other = rsaKeys()
const service = rsaKeys()

const expected: Expected = {
  clientId: 'shop',
  keys: new Map([['one', publicKey]]),
  audiences: [tokenEndpoint, issuer],
  nowSec,
  decoyKey: service.publicKey,
}
const twoKeys = {
  ...expected,
  keys: new Map([
    ['one', publicKey],
    ['two', other.publicKey],
  ]),
}
const unknownClient = { ...expected, keys: null }

const good = claimsOf('shop', issuer, nowSec)
const json = JSON.stringify(good)
const { exp: _exp, ...noExp } = good
const { jti: _jti, ...noJti } = good
const { aud: _aud, ...noAud } = good
const signed = (claims: object) => forge(privateKey, { ...good, ...claims })
const headed = (header: object) => forge(privateKey, good, { alg: 'RS256', ...header })
const withText = (from: string, to: string) => forge(privateKey, json.replace(from, to))

const verdictOf = (assertion: string, under: Expected = expected) => verifyAssertion(assertion, under)

describe('a good assertion passes', () => {
  test.each<[string, string, Expected?]>([
    ['for the issuer', signed({ aud: issuer })],
    ['for the token endpoint', signed({ aud: tokenEndpoint })],
    ['without a type', headed({})],
    ['of type JWT', headed({ typ: 'JWT' })],
    ['of the type of draft-ietf-oauth-rfc7523bis', headed({ typ: 'client-authentication+jwt' })],
    ['with the kid of the one key', headed({ kid: 'one' })],
    ['with the kid of one of two keys', headed({ kid: 'one' }), twoKeys],
    ['with header parameters that mean nothing to us', headed({ x5t: 'abc', cty: 'x' })],
    ['with claims of its own, nested', signed({ extra: { exp: 1, list: [{ exp: 2 }, '{"exp":3}'] } })],
    ['with colons and quotes within its strings', signed({ note: 'a":"b', '":': '\\' })],
    ['that expires in five minutes', signed({ exp: nowSec + 300 })],
    ['of a clock a minute fast', signed({ exp: nowSec + 360, iat: nowSec + 60, nbf: nowSec + 60 })],
    ['of a clock almost a minute slow', signed({ exp: nowSec - 59 })],
    ['with a fractional iat', signed({ iat: nowSec - 0.5 })],
    ['with spaces in its JSON', forge(privateKey, JSON.stringify(good, null, 2))],
  ])('%s', async (_, assertion, under) => {
    const { exp } = JSON.parse(Buffer.from(assertion.split('.')[1] ?? '', 'base64url').toString()) as {
      exp: number
    }
    expect(await verdictOf(assertion, under)).toEqual({
      fault: null,
      jti: good.jti,
      refusedFromSec: exp + 60,
    })
  })
})

const [header = '', payload = '', signature = ''] = signed({}).split('.')
const publicPem = publicKey.export({ format: 'pem', type: 'spki' }).toString()

const refused: readonly [AssertionFault, string, string, Expected?][] = [
  ['signature', 'of another key', forge(other.privateKey, good)],
  ['signature', 'of a key of 1024 bits', forge(rsaKeys(1024).privateKey, good)],
  ['signature', 'by no algorithm', forgeBy('none', '', good)],
  ['signature', 'by HMAC with the public key as the secret', forgeBy('HS256', publicPem, good)],
  ['signature', 'by RS384', forgeBy('RS384', privateKey, good)],
  ['signature', 'by PS256', forgeBy('PS256', privateKey, good)],
  ['signature', 'whose alg is None', headed({ alg: 'None' })],
  ['signature', 'whose alg is absent', forge(privateKey, good, {})],
  [
    'signature',
    'whose payload was exchanged',
    `${header}.${encode({ ...good, jti: randomUUID() })}.${signature}`,
  ],
  [
    'signature',
    'whose header was exchanged',
    `${encode({ alg: 'RS256', kid: 'one' })}.${payload}.${signature}`,
  ],
  ['signature', 'of the service itself', forge(service.privateKey, good)],
  ['header', 'with a key in the header', headed({ jwk: other.publicKey.export({ format: 'jwk' }) })],
  ['header', 'with a key address in the header', headed({ jku: 'https://evil.example/jwks' })],
  ['header', 'with a certificate in the header', headed({ x5c: ['MII'] })],
  ['header', 'with a certificate address in the header', headed({ x5u: 'https://evil.example' })],
  ['header', 'with an unknown critical header', headed({ crit: ['exp'], exp: 1 })],
  ['header', 'with a payload that is not encoded', headed({ b64: false, crit: ['b64'] })],
  ['header', 'with b64 of true', headed({ b64: true })],
  ['type', 'that is an access token by type', headed({ typ: 'at+jwt' })],
  ['type', 'whose type is no text', headed({ typ: 1 })],
  ['unknown_kid', 'without a kid when two keys are registered', headed({}), twoKeys],
  ['unknown_kid', 'with a kid that is not registered', headed({ kid: 'three' }), twoKeys],
  ['unknown_kid', 'with a kid that is not the one key’s', headed({ kid: 'two' })],
  ['unknown_kid', 'with SQL for a kid', headed({ kid: "one' or '1'='1" })],
  ['unknown_kid', 'with a path for a kid', headed({ kid: '../../one' })],
  ['unknown_kid', 'with a kid that is no text', headed({ kid: 1 })],
  ['signature', 'with the kid of the other key', headed({ kid: 'two' }), twoKeys],
  ['unknown_client', 'of an unknown client', signed({}), unknownClient],
  [
    'unknown_client',
    'of an unknown client, signed by the decoy',
    forge(service.privateKey, good),
    unknownClient,
  ],
  ['issuer_or_subject', 'of another client', signed({ iss: 'stall', sub: 'stall' })],
  ['issuer_or_subject', 'about another client', signed({ sub: 'stall' })],
  ['issuer_or_subject', 'issued by another', signed({ iss: 'stall' })],
  ['issuer_or_subject', 'whose issuer is a list', signed({ iss: ['shop'] })],
  ['audience', 'without an audience', forge(privateKey, noAud)],
  ['audience', 'for a list of one', signed({ aud: [issuer] })],
  ['audience', 'for a list with another server', signed({ aud: [issuer, 'https://evil.example'] })],
  ['audience', 'for an object', signed({ aud: {} })],
  ['audience', 'for the issuer with a slash', signed({ aud: `${issuer}/` })],
  ['audience', 'for another host', signed({ aud: 'https://evil.example/v1/oauth' })],
  ['audience', 'for the audience of tokens', signed({ aud: 'service:v1' })],
  ['jti', 'without a jti', forge(privateKey, noJti)],
  ['jti', 'whose jti is a number', signed({ jti: 7 })],
  ['jti', 'whose jti is empty', signed({ jti: '' })],
  ['jti', 'whose jti is long', signed({ jti: 'a'.repeat(5_000) })],
  ['jti', 'whose jti is a UUID of another version', signed({ jti: '018f8c1e-7b2a-7c3d-8e4f-a1b2c3d4e5f6' })],
  ['jti', 'whose jti is a UUID of another variant', signed({ jti: '018f8c1e-7b2a-4c3d-ce4f-a1b2c3d4e5f6' })],
  ['jti', 'whose jti ends in a newline', signed({ jti: `${good.jti}\n` })],
  ['expiry', 'without an expiry', forge(privateKey, noExp)],
  ['expiry', 'whose expiry is text', signed({ exp: String(good.exp) })],
  ['expiry', 'whose expiry is a fraction', signed({ exp: good.exp + 0.5 })],
  ['expiry', 'whose expiry is infinite', withText(`"exp":${good.exp}`, '"exp":1e400')],
  ['expiry', 'whose expiry is negative', signed({ exp: -1 })],
  ['expiry', 'whose expiry is null', signed({ exp: null })],
  ['expiry', 'that expired a minute ago', signed({ exp: nowSec - 60 })],
  ['expiry', 'that expires beyond five minutes and the leeway', signed({ exp: nowSec + 361 })],
  ['not_yet_valid', 'not valid for more than a minute', signed({ nbf: nowSec + 61 })],
  ['not_yet_valid', 'issued an hour ahead', signed({ iat: nowSec + 3_600 })],
  ['not_yet_valid', 'whose nbf is text', signed({ nbf: String(nowSec) })],
  ['not_yet_valid', 'whose iat is text', signed({ iat: String(nowSec) })],
  ['not_yet_valid', 'whose iat is null', signed({ iat: null })],
  ['unreadable', 'with an expiry given twice', withText('"exp":', '"exp":1,"exp":')],
  ['unreadable', 'with an expiry given twice, once escaped', withText('"exp":', '"\\u0065xp":1,"exp":')],
  ['unreadable', 'with an algorithm given twice', forge(privateKey, good, '{"alg":"none","alg":"RS256"}')],
  ['unreadable', 'with a nested key given twice', withText('"exp":', '"x":{"a":1,"a":2},"exp":')],
  ['unreadable', 'with a BOM before the payload', forge(privateKey, `\ufeff${json}`)],
  [
    'unreadable',
    'whose payload is not UTF-8',
    forge(privateKey, Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])),
  ],
  ['unreadable', 'whose payload is a list', forge(privateKey, `[${json}]`)],
  ['unreadable', 'whose payload is not JSON', forge(privateKey, 'hello')],
  ['unreadable', 'whose payload is empty', forge(privateKey, '')],
  ['unreadable', 'whose payload is nested too deep', forge(privateKey, '['.repeat(5_000))],
  ['unreadable', 'whose header is a list', forge(privateKey, good, ['RS256'])],
  ['issuer_or_subject', 'whose claims are its prototype’s', forge(privateKey, `{"__proto__":${json}}`)],
  ['unreadable', 'with padding', `${signed({})}=`],
  ['unreadable', 'with a space before it', ` ${signed({})}`],
  ['unreadable', 'with a newline after it', `${signed({})}\n`],
  ['unreadable', 'with white space within it', signed({}).replace('.', '. ')],
  [
    'unreadable',
    'in the alphabet of plain base64',
    `${header}.${payload}.${Buffer.from(signature, 'base64url').toString('base64')}`,
  ],
  [
    'unreadable',
    'with stray bits in its last character',
    `${header}.${payload}.${signature.slice(0, -1)}${nextLetter(signature)}`,
  ],
  ['unreadable', 'of two parts', `${header}.${payload}`],
  ['unreadable', 'of four parts', `${header}.${payload}.${signature}.${signature}`],
  ['unreadable', 'of five parts', `${header}.${payload}.${signature}..`],
  ['unreadable', 'of more than eight kilobytes', signed({ note: 'a'.repeat(6_200) })],
  ['unreadable', 'that is empty', ''],
]

// Each character is six bits, and the last of 256 bytes carries four that mean nothing.
function nextLetter(text: string): string {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
  return alphabet[alphabet.indexOf(text.slice(-1)) + 1] ?? ''
}

describe('an assertion is refused', () => {
  test.each(refused)('(%s) %s', async (fault, _, assertion, under) => {
    expect(await verdictOf(assertion, under)).toEqual({ fault })
  })
})
