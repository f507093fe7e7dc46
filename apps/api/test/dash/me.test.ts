import { afterAll, describe, expect, test } from 'vitest'
import { startStaffApi } from './staff.ts'

const api = await startStaffApi()
afterAll(() => api.stop())

describe('dash.me.retrieve', () => {
  test('returns the member, the role, the end of the session, and the token for changes', async () => {
    const omar = await api.signInAs('omar')
    const { status, body } = await omar.get('/me')
    expect({ status, body }).toEqual({
      status: 200,
      body: {
        object: 'staff_member',
        subject: 'omar',
        name: 'Omar Operator',
        role: 'operator',
        livemode: false,
        csrf_token: expect.stringMatching(/^[\w-]{43}$/),
        expires_at: expect.any(Number),
      },
    })
    expect(Math.abs(body.expires_at - api.clock() / 1_000 - 8 * 3_600)).toBeLessThan(60)
  })

  test('gives each session its own token', async () => {
    const [one, two] = [await api.signInAs('omar'), await api.signInAs('omar')]
    expect(one.csrfToken).not.toBe(two.csrfToken)
  })
})

describe('dash.me.signOut', () => {
  test('removes this session, and no other', async () => {
    const [one, two] = [await api.signInAs('vera'), await api.signInAs('vera')]
    expect((await one.post('/sign_out', {})).status).toBe(200)
    expect((await one.get('/me')).status).toBe(401)
    expect((await two.get('/me')).status).toBe(200)
  })
})
