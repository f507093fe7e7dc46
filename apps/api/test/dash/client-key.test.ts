import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import { describe, expect, onTestFinished, test } from 'vitest'
import { beginSignIn, type StaffApi, startStaffApi } from './staff.ts'

const keyPair = () => generateKeyPairSync('rsa', { modulusLength: 2048 })
const own = keyPair()
const other = keyPair()

async function startWith(privateKey: KeyObject): Promise<StaffApi> {
  const api = await startStaffApi({
    key: {
      credential: { kind: 'key', key: { kid: 'one', privateKey } },
      known: { ...own.publicKey.export({ format: 'jwk' }), kid: 'one', use: 'sig', alg: 'RS256' },
    },
  })
  onTestFinished(() => api.stop())
  return api
}

describe('a client with a key (private_key_jwt)', () => {
  test('signs people in with it', async () => {
    const api = await startWith(own.privateKey)
    const { browser, callback } = await beginSignIn(api, 'ada')
    expect((await browser.go(callback)).status).toBe(303)
    expect(await browser.go('/dash/v1/me')).toMatchObject({ status: 200, body: { subject: 'ada' } })
  })

  test('fails with a key that the provider does not know', async () => {
    const api = await startWith(other.privateKey)
    const { browser, callback } = await beginSignIn(api, 'ada')
    expect((await browser.go(callback)).status).toBe(400)
    expect((await browser.go('/dash/v1/me')).status).toBe(401)
    expect(await api.db.reader.selectFrom('staff_sessions').select('subject').execute()).toEqual([])
  })
})
