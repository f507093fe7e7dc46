import { createPublicKey, generateKeyPairSync, verify, webcrypto } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { type PrivateKey, readPrivateKey } from './private-key.ts'

const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
const pkcs8 = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
const pkcs1 = privateKey.export({ type: 'pkcs1', format: 'pem' }).toString()
const jwk = privateKey.export({ format: 'jwk' })
const rs256 = { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' }
const input = new TextEncoder().encode('header.claims')

const cryptoKey = await webcrypto.subtle.importKey('jwk', jwk as webcrypto.JsonWebKey, rs256, false, ['sign'])

const rs512 = { ...rs256, hash: 'SHA-512' }
const sha512Key = await webcrypto.subtle.importKey('jwk', jwk as webcrypto.JsonWebKey, rs512, false, ['sign'])

const { privateKey: pssKey } = await webcrypto.subtle.generateKey(
  { ...rs256, name: 'RSA-PSS', modulusLength: 2048, publicExponent: new Uint8Array([1, 0, 1]) },
  false,
  ['sign', 'verify'],
)

describe('a private key', () => {
  test.each<[string, PrivateKey]>([
    ['PKCS#8 PEM', pkcs8],
    ['PKCS#8 PEM with escaped line breaks, as in environment variables', pkcs8.replaceAll('\n', '\\n')],
    ['a JWK', jwk],
    ['a JWK with use, alg and key_ops', { ...jwk, use: 'sig', alg: 'RS256', key_ops: ['sign'], ext: false }],
    ['the text of a JWK', `\n ${JSON.stringify(jwk)}`],
    ['the bytes of a PEM file', Buffer.from(pkcs8)],
    ['the bytes of a JWK file', new TextEncoder().encode(JSON.stringify(jwk))],
    ['a KeyObject', privateKey],
    ['a CryptoKey', cryptoKey],
  ])('given as %s signs with RS256', async (_form, key) => {
    const signature = await readPrivateKey(key).sign(input)
    expect(verify('sha256', input, publicKey, signature)).toBe(true)
  })

  test('given as a function is used as that function', () => {
    const sign = () => Promise.resolve(new Uint8Array([1]))
    expect(readPrivateKey(sign)).toEqual({ sign, keyId: undefined })
  })

  test('has the kid of its JWK', () => {
    expect(readPrivateKey({ ...jwk, kid: 'key-1' }).keyId).toBe('key-1')
    expect(readPrivateKey(jwk).keyId).toBeUndefined()
  })

  const unfit = /^privateKey must be an RSA private key/

  test.each<[string, PrivateKey, RegExp]>([
    ['PKCS#1 PEM', pkcs1, /openssl pkcs8 -topk8 -nocrypt -in key\.pem -out key\.pkcs8\.pem$/],
    ['an encrypted PEM', encrypted(), /^privateKey is encrypted; decrypt it: openssl pkey/],
    ['a public PEM', publicKey.export({ type: 'spki', format: 'pem' }).toString(), unfit],
    ['a public JWK', publicKey.export({ format: 'jwk' }), unfit],
    ['a public KeyObject', createPublicKey(pkcs8), unfit],
    ['an EC KeyObject', generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey, unfit],
    ['an RSA-PSS CryptoKey', pssKey, /^privateKey must be a private RSASSA-PKCS1-v1_5 key/],
    ['a CryptoKey with SHA-512', sha512Key, /^privateKey must be .+ with SHA-256/],
    ['PEM that is not base64', '-----BEGIN PRIVATE KEY-----\n%%%\n-----END PRIVATE KEY-----', unfit],
    ['an empty text', '', unfit],
    ['nothing', undefined as never, unfit],
    ['null', null as never, unfit],
    ['a number', 42 as never, unfit],
    ['bytes that are no text', new Uint8Array([48, 130, 4, 189]), unfit],
    ['broken JSON', '{"kty":"RSA","d":"very-secret"', /^privateKey looks like a JWK but is not JSON$/],
  ])('given as %s is refused at creation, and not quoted', (_form, key, message) => {
    expect(() => readPrivateKey(key)).toThrow(message)
  })

  test('of another kind in valid PEM is refused at the first signature', async () => {
    const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey
    const { sign } = readPrivateKey(ec.export({ type: 'pkcs8', format: 'pem' }).toString())
    await expect(sign(input)).rejects.toThrow(unfit)
  })
})

function encrypted(): string {
  return privateKey
    .export({ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'secret' })
    .toString()
}
