import { createHmac } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { T0 } from '../../test/make.ts'
import { mintId } from './ids.ts'
import { clientSecretsOf, isSameSecret, withoutSecret } from './secrets.ts'

const first = { version: 1, key: 'the first key, of 32 bytes or more' }
const second = { version: 27, key: 'the second key, of 32 bytes or more' }
const id = mintId('pi', T0)
const session = mintId('cs', T0)

describe('a client secret', () => {
  test('is derived from the key that it names and from its id', () => {
    const mac = createHmac('sha256', second.key).update(`merchant-payments client_secret 1\n${id}`)
    expect(clientSecretsOf([second]).of(id)).toBe(`${id}_secret_27v${mac.digest('base64url')}`)
    expect(clientSecretsOf([second]).of(id)).toMatch(/^pi_[0-9a-f]{32}_secret_27v[\w-]{43}$/)
  })

  test('is another for each id and each key', () => {
    const ids = [id, mintId('pi', T0), session]
    const secrets = [first, second, { ...first, key: second.key }].map((key) => clientSecretsOf([key]))
    const macs = secrets.flatMap(({ of }) => ids.map((one) => of(one).split('v').at(-1)))
    // The version names a key and does not enter the derivation.
    expect(new Set(macs).size).toBe(6)
  })

  test('of an earlier key is expected as long as the key is there, and never of another id', () => {
    const old = clientSecretsOf([first]).of(id)
    const rotated = clientSecretsOf([second, first])
    expect(rotated.of(id)).toContain('_secret_27v')
    expect(rotated.expected(id, old)).toBe(old)
    expect(rotated.expected(id, rotated.of(id))).toBe(rotated.of(id))
    expect(rotated.expected(session, old)).not.toBe(old)
    const over = clientSecretsOf([second])
    for (const given of [old, '', id, `${id}_secret_`, `${id}_secret_0v`, `${id}_secret_99999v`]) {
      expect(over.expected(id, given)).toBe(over.of(id))
    }
  })

  test('needs a key', () => {
    expect(() => clientSecretsOf([])).toThrow(RangeError)
  })
})

describe('a stored answer', () => {
  const secrets = clientSecretsOf([first])
  const answerOf = (fields: object, of: typeof id | typeof session = id) => {
    const secret = secrets.of(of)
    const url = `https://pay.test/c/${of}#${secret}.pk_a`
    return { secret, body: JSON.stringify({ id: of, ...fields, url, client_secret: secret }) }
  }

  test('contains no part of its secret, and `fill` restores its bytes, also once a newer key derives', () => {
    const later = clientSecretsOf([second, first])
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom(id, session), (metadata, of) => {
        const { secret, body } = answerOf({ metadata }, of)
        const stored = withoutSecret({ status: 200, body }, secret)
        expect(stored.body).not.toContain(secret.slice(-43))
        expect(stored.status).toBe(200)
        expect(secrets.fill(stored.body)).toBe(body)
        expect(later.fill(stored.body)).toBe(body)
      }),
    )
  })

  test('is filled with no secret but that of its own object, whatever a merchant has written into it', () => {
    const strange = mintId('pi', T0)
    const blank = `${strange}_secret_1v`
    const { secret, body } = answerOf({ description: blank, metadata: { [blank]: blank, id: strange } })
    expect(secrets.fill(withoutSecret({ body }, secret).body)).toBe(body)
    const bodies = [
      blank,
      JSON.stringify({ error: { id: strange, message: blank } }),
      JSON.stringify([blank]),
    ]
    for (const text of bodies) expect(secrets.fill(text)).toBe(text)
  })

  test('from before secrets were derived is as it was sent', () => {
    const kept = JSON.stringify({ id, client_secret: `${id}_secret_${'1v-_'.repeat(10)}abc` })
    expect(secrets.fill(kept)).toBe(kept)
  })

  test('whose key was removed is filled with the object’s present secret', () => {
    const { secret, body } = answerOf({})
    const over = clientSecretsOf([second])
    expect(over.fill(withoutSecret({ body }, secret).body)).toBe(body.replaceAll(secret, over.of(id)))
  })
})

test('isSameSecret is true only for equal secrets, of any length', () => {
  const secret = clientSecretsOf([first]).of(id)
  expect(isSameSecret(secret, secret)).toBe(true)
  const others = [
    '',
    secret.slice(1),
    secret.slice(0, -1),
    `${secret} `,
    `${secret}\0`,
    secret.toUpperCase(),
    'é',
  ]
  for (const given of others) expect(isSameSecret(given, secret)).toBe(false)
})
