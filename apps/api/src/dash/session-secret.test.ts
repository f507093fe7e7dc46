import { describe, expect, test } from 'vitest'
import { sessionSecretsOf } from './session-secret.ts'

const keyOf = (version: number) => ({ version, key: `key ${version} of the deployment, of 32 bytes` })

describe('the secret of a session', () => {
  const secrets = sessionSecretsOf([keyOf(1)])
  const secret = secrets.mint()

  test('has a tag that names the session alone', () => {
    const tag = secrets.tagOf(secret)
    expect(secret).toMatch(/^[\w-]{43}\.[\w-]{43}$/)
    expect(tag).toBe(secret.split('.')[1])
    expect(secrets.tagOf(secrets.mint())).not.toBe(tag)
  })

  test.each([
    ['without a tag', secret.slice(0, 43)],
    ['with an empty tag', `${secret.slice(0, 43)}.`],
    ['with the tag of another', `${secret.slice(0, 43)}.${secrets.mint().slice(44)}`],
    ['of another random part', `${secrets.mint().slice(0, 43)}${secret.slice(43)}`],
    ['that is empty', ''],
    ['that is made up', 'made-up'],
    ['of the key of another deployment', sessionSecretsOf([keyOf(2)]).mint()],
  ])('%s has none', (_, given) => {
    expect(secrets.tagOf(given)).toBeNull()
  })

  test('keeps its tag while its key is configured', () => {
    expect(sessionSecretsOf([keyOf(2), keyOf(1)]).tagOf(secret)).toBe(secret.slice(44))
    expect(sessionSecretsOf([keyOf(2)]).tagOf(secret)).toBeNull()
  })

  test('needs a key', () => {
    expect(() => sessionSecretsOf([])).toThrow('no key')
  })
})
