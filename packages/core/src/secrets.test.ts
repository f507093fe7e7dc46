import { expect, test } from 'vitest'
import { T0 } from '../test/make.ts'
import { mintId } from './ids.ts'
import { isSameSecret, mintClientSecret } from './secrets.ts'

test('a secret holds 256 bits of its own after its id', () => {
  const id = mintId('cs', T0)
  const [one, other] = [mintClientSecret(id), mintClientSecret(id)]
  expect(one).toMatch(new RegExp(`^${id}_secret_[\\w-]{43}$`))
  expect(one).not.toBe(other)
})

test('only the same secret is the same, whatever its length', () => {
  const secret = mintClientSecret(mintId('pi', T0))
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
