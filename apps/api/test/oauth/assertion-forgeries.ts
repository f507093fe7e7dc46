import { randomUUID } from 'node:crypto'
import type { AssertionProblem } from '../../src/oauth/assertion.ts'
import { claimsOf, encode, forge, forgeBy, rsaKeys, withStrayBits } from './forge.ts'
import { nowSec, serviceKey, shopKey, stallKey } from './merchants.ts'
import { issuer } from './replica.ts'

/** An invalid assertion, its fault, and the client that supposedly signed it. */
export interface AssertionForgery {
  readonly fault: AssertionProblem
  readonly what: string
  readonly clientId: string
  readonly assertion: string
}

const good = claimsOf('shop', issuer, nowSec)
const json = JSON.stringify(good)
const { exp: _exp, ...noExp } = good
const { jti: _jti, ...noJti } = good
const { aud: _aud, ...noAud } = good
const signed = (claims: object) => forge(shopKey.privateKey, { ...good, ...claims })
const headed = (header: object) => forge(shopKey.privateKey, good, { alg: 'RS256', ...header })
const withText = (from: string, to: string) => forge(shopKey.privateKey, json.replace(from, to))
const raw = (payload: string | Uint8Array) => forge(shopKey.privateKey, payload)
/** The stall has two keys: `one` of its own, and `two`, which is also the shop's. */
const stalls = (header: object) =>
  forge(shopKey.privateKey, claimsOf('stall', issuer, nowSec), { alg: 'RS256', ...header })
const nobodys = claimsOf('nobody', issuer, nowSec)

const [header = '', payload = '', signature = ''] = signed({}).split('.')
const publicPem = shopKey.publicKey.export({ format: 'pem', type: 'spki' }).toString()
const publicDer = shopKey.publicKey.export({ format: 'der', type: 'spki' })
const strangersJwk = stallKey.publicKey.export({ format: 'jwk' })

const rows: readonly [AssertionProblem, what: string, assertion: string, clientId?: string][] = [
  ['signature', 'of another key', forge(stallKey.privateKey, good)],
  ['signature', 'of a key of 1024 bits', forge(rsaKeys(1024).privateKey, good)],
  ['signature', 'of the service itself', forge(serviceKey.privateKey, good)],
  ['signature', 'by no algorithm', forgeBy('none', '', good)],
  ['signature', 'by HMAC with the public key as the secret', forgeBy('HS256', publicPem, good)],
  ['signature', 'by HMAC with the bytes of the public key', forgeBy('HS256', publicDer, good)],
  ['signature', 'by RS384', forgeBy('RS384', shopKey.privateKey, good)],
  ['signature', 'by PS256', forgeBy('PS256', shopKey.privateKey, good)],
  ['signature', 'whose alg is None', headed({ alg: 'None' })],
  ['signature', 'whose alg is a list', headed({ alg: ['RS256'] })],
  ['signature', 'whose alg is absent', forge(shopKey.privateKey, good, {})],
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
  [
    'header',
    'with a key in the header',
    forge(stallKey.privateKey, good, { alg: 'RS256', jwk: strangersJwk }),
  ],
  ['header', 'with a key address in the header', headed({ jku: 'https://evil.example/jwks' })],
  ['header', 'with a certificate in the header', headed({ x5c: ['MII'] })],
  ['header', 'with a certificate address in the header', headed({ x5u: 'https://evil.example' })],
  ['header', 'with an unknown critical header', headed({ crit: ['exp'], exp: 1 })],
  ['header', 'with an empty list of critical headers', headed({ crit: [] })],
  ['header', 'with a payload that is not encoded', headed({ b64: false, crit: ['b64'] })],
  ['header', 'with b64 of true', headed({ b64: true })],
  ['type', 'that is an access token by type', headed({ typ: 'at+jwt' })],
  ['type', 'whose type is no text', headed({ typ: 1 })],
  ['unknown_kid', 'without a kid when two keys are registered', stalls({}), 'stall'],
  ['unknown_kid', 'with a kid that is not registered', stalls({ kid: 'three' }), 'stall'],
  ['signature', 'with the kid of the other key', stalls({ kid: 'one' }), 'stall'],
  ['unknown_kid', 'with a kid that is not the one key’s', headed({ kid: 'two' })],
  ['unknown_kid', 'with the kid of the service’s key', headed({ kid: 'service-1' })],
  ['unknown_kid', 'with an empty kid', headed({ kid: '' })],
  ['unknown_kid', 'with a kid in another case', headed({ kid: 'ONE' })],
  ['unknown_kid', 'with SQL for a kid', headed({ kid: "one' or '1'='1" })],
  ['unknown_kid', 'with a path for a kid', headed({ kid: '../../one' })],
  ['unknown_kid', 'with the name of a method for a kid', headed({ kid: 'constructor' })],
  ['unknown_kid', 'with a kid that is no text', headed({ kid: 1 })],
  ['unknown_client', 'of an unknown client', forge(shopKey.privateKey, nobodys), 'nobody'],
  [
    'unknown_client',
    'of an unknown client, signed by the decoy',
    forge(serviceKey.privateKey, nobodys),
    'nobody',
  ],
  ['issuer_or_subject', 'of another client', signed({ iss: 'stall', sub: 'stall' })],
  ['issuer_or_subject', 'about another client', signed({ sub: 'stall' })],
  ['issuer_or_subject', 'issued by another', signed({ iss: 'stall' })],
  ['issuer_or_subject', 'issued by the service', signed({ iss: issuer })],
  ['issuer_or_subject', 'whose issuer is a list', signed({ iss: ['shop'] })],
  ['issuer_or_subject', 'whose client id has another case', signed({ iss: 'Shop', sub: 'Shop' })],
  ['issuer_or_subject', 'whose claims are its prototype’s', raw(`{"__proto__":${json}}`)],
  ['audience', 'without an audience', raw(JSON.stringify(noAud))],
  ['audience', 'for a list of one', signed({ aud: [issuer] })],
  ['audience', 'for a list with another server', signed({ aud: [issuer, 'https://evil.example'] })],
  ['audience', 'for an object', signed({ aud: {} })],
  ['audience', 'for the issuer with a slash', signed({ aud: `${issuer}/` })],
  ['audience', 'for the issuer over plain text', signed({ aud: issuer.replace('https', 'http') })],
  ['audience', 'for another host', signed({ aud: 'https://evil.example/v1/oauth' })],
  ['audience', 'for the audience of tokens', signed({ aud: 'service:v1' })],
  ['jti', 'without a jti', raw(JSON.stringify(noJti))],
  ['jti', 'whose jti is a number', signed({ jti: 7 })],
  ['jti', 'whose jti is empty', signed({ jti: '' })],
  ['jti', 'whose jti is long', signed({ jti: 'a'.repeat(5_000) })],
  ['jti', 'whose jti is a UUID of another version', signed({ jti: '018f8c1e-7b2a-7c3d-8e4f-a1b2c3d4e5f6' })],
  ['jti', 'whose jti is a UUID of another variant', signed({ jti: '018f8c1e-7b2a-4c3d-ce4f-a1b2c3d4e5f6' })],
  ['jti', 'whose jti ends in a newline', signed({ jti: `${good.jti}\n` })],
  ['expiry', 'without an expiry', raw(JSON.stringify(noExp))],
  ['expiry', 'whose expiry is text', signed({ exp: String(good.exp) })],
  ['expiry', 'whose expiry is a fraction', signed({ exp: good.exp + 0.5 })],
  ['expiry', 'whose expiry is infinite', withText(`"exp":${good.exp}`, '"exp":1e400')],
  ['expiry', 'whose expiry is negative', signed({ exp: -1 })],
  ['expiry', 'whose expiry is in milliseconds', signed({ exp: good.exp * 1_000 })],
  ['expiry', 'whose expiry is null', signed({ exp: null })],
  ['expiry', 'that expired a minute ago', signed({ exp: nowSec - 60 })],
  ['expiry', 'that expires beyond five minutes and the leeway', signed({ exp: nowSec + 361 })],
  ['not_yet_valid', 'not valid for more than a minute', signed({ nbf: nowSec + 61 })],
  ['not_yet_valid', 'issued more than a minute ahead', signed({ iat: nowSec + 61 })],
  ['not_yet_valid', 'whose nbf is text', signed({ nbf: String(nowSec) })],
  ['not_yet_valid', 'whose iat is text', signed({ iat: String(nowSec) })],
  ['not_yet_valid', 'whose iat is null', signed({ iat: null })],
  ['unreadable', 'with an expiry given twice', withText('"exp":', '"exp":1,"exp":')],
  ['unreadable', 'with an expiry given twice, once escaped', withText('"exp":', '"\\u0065xp":1,"exp":')],
  [
    'unreadable',
    'with an algorithm given twice',
    forge(shopKey.privateKey, good, '{"alg":"none","alg":"RS256"}'),
  ],
  ['unreadable', 'with a nested key given twice', withText('"exp":', '"x":{"a":1,"a":2},"exp":')],
  ['unreadable', 'with a BOM before the payload', raw(`\ufeff${json}`)],
  ['unreadable', 'whose payload is not UTF-8', raw(Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]))],
  ['unreadable', 'whose payload is a list', raw(`[${json}]`)],
  ['unreadable', 'whose payload is null', raw('null')],
  ['unreadable', 'whose payload is not JSON', raw('hello')],
  ['unreadable', 'whose payload is empty', raw('')],
  ['unreadable', 'whose payload is nested too deep', raw('['.repeat(5_000))],
  ['unreadable', 'whose header is a list', forge(shopKey.privateKey, good, ['RS256'])],
  ['unreadable', 'with padding', `${signed({})}=`],
  ['unreadable', 'with a space before it', ` ${signed({})}`],
  ['unreadable', 'with a newline after it', `${signed({})}\n`],
  ['unreadable', 'with white space within it', signed({}).replace('.', '. ')],
  [
    'unreadable',
    'in the alphabet of plain base64',
    `${header}.${payload}.${Buffer.from(signature, 'base64url').toString('base64')}`,
  ],
  ['unreadable', 'with stray bits in its last character', withStrayBits(signed({}))],
  ['signature', 'without a signature', `${header}.${payload}.`],
  ['unreadable', 'of two parts', `${header}.${payload}`],
  ['unreadable', 'of four parts', `${header}.${payload}.${signature}.${signature}`],
  ['unreadable', 'of the five parts of encryption', `${header}.${payload}.${signature}..`],
  ['unreadable', 'of more than eight kilobytes', signed({ note: 'a'.repeat(6_200) })],
]

export const assertionForgeries: readonly AssertionForgery[] = rows.map(
  ([fault, what, assertion, clientId = 'shop']) => ({ fault, what, clientId, assertion }),
)
