import { createHash } from 'node:crypto'
import { createServer } from 'node:http'
import { people, type Person } from '@merchant-payments/identity-provider'
import { listen } from '@merchant-payments/testing/listen'
import { afterAll, describe, expect, onTestFinished, test } from 'vitest'
import { ATTEMPT_MS } from '../../src/dash/sign-in-attempt.ts'
import { publicBaseUrl } from '../harness.ts'
import {
  beginSignIn,
  navigation,
  openBrowser,
  passProvider,
  secretOfClient,
  sendDiscovery,
  startStaffApi,
} from './staff.ts'

const SESSION = '__Host-staff_session'
const SIGN_IN = '__Host-staff_sign_in'

const lines: string[] = []
const api = await startStaffApi({ onLogLine: (line) => lines.push(line) })
afterAll(() => api.stop())

const sessions = () => api.db.reader.selectFrom('staff_sessions').selectAll().execute()

describe('a sign-in', () => {
  test('requests a code from the provider, with PKCE, a state and a nonce [§5.6]', async () => {
    const sent = await openBrowser(api).go('/dash/v1/sign_in')
    expect(sent.status).toBe(303)
    const url = new URL(sent.headers.location ?? '')
    expect(url.origin + url.pathname).toBe(`${api.idp.issuer}/auth`)
    expect(Object.fromEntries(url.searchParams)).toEqual({
      client_id: 'payments-dashboard',
      redirect_uri: `${publicBaseUrl}/dash/v1/callback`,
      scope: 'openid profile',
      response_type: 'code',
      state: expect.stringMatching(/^[\w-]{43}$/),
      nonce: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: 'S256',
    })
    expect(sent.headers['set-cookie']).toEqual([
      expect.stringMatching(
        /^__Host-staff_sign_in=[\w.-]+; Max-Age=600; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
      ),
    ])
  })

  test('ends at the page without its filter if that is too long to keep', async () => {
    const returnTo = `/dash/payments?metadata=${encodeURIComponent('é'.repeat(200))}`
    const path = `/dash/v1/sign_in?${new URLSearchParams({ return_to: returnTo }).toString()}`
    const { browser, callback } = await beginSignIn(api, 'omar', path)
    expect(await browser.go(callback)).toMatchObject({ status: 303, headers: { location: '/dash/payments' } })
  })

  test('ends with a session of the member, at the requested page [§1.6]', async () => {
    const path = '/dash/v1/sign_in?return_to=%2Fdash%2Fpayments%3Fstatus%3Dprocessing%23top'
    const { browser, callback } = await beginSignIn(api, 'omar', path)
    const back = await browser.go(callback)
    expect(back).toMatchObject({ status: 303, headers: { location: '/dash/payments?status=processing#top' } })
    expect(back.headers['set-cookie']).toEqual([
      `${SIGN_IN}=; Max-Age=0; Path=/; HttpOnly; Secure; SameSite=Lax`,
      expect.stringMatching(
        /^__Host-staff_session=[\w-]{43}\.[\w-]{43}; Max-Age=28800; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
      ),
    ])
    expect(back.headers).toMatchObject({ 'cache-control': 'no-store' })
    expect(await browser.go('/dash/v1/me')).toMatchObject({
      status: 200,
      body: { object: 'staff_member', subject: 'omar', name: 'Omar Operator', role: 'operator' },
    })
  })

  test('stores only the hash of the session’s secret, and no token of the provider', async () => {
    const member = await api.signInAs('vera')
    const secret = member.cookies.get(SESSION) ?? ''
    const rows = await sessions()
    expect(rows.map(({ secret_hash: hash }) => hash.length)).toEqual(rows.map(() => 32))
    expect(Object.keys(rows[0] ?? {}).toSorted()).toEqual(
      'auth_time claims expires_at last_seen_at name provider_session_id secret_hash subject'.split(' '),
    )
    expect(JSON.stringify(rows)).not.toContain(secret)
  })

  test('of somebody without a role is a 403 that names the roles, and creates no session', async () => {
    const before = (await sessions()).length
    const { browser, callback } = await beginSignIn(api, 'nils')
    const refused = await browser.go(callback)
    expect(refused.status).toBe(403)
    expect(refused.headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': expect.stringContaining("default-src 'none'"),
    })
    expect(refused.text).toContain('none of the roles viewer, operator, admin')
    expect((await sessions()).length).toBe(before)
    expect((await browser.go('/dash/v1/me')).status).toBe(401)
  })

  test('of an account without a role: both ways out make the provider ask for another account', async () => {
    const provider = new Map<string, string>()
    const formsAt = async (path: string) => {
      const browser = openBrowser(api)
      const sent = await browser.go(path)
      let forms = 0
      const back = await passProvider(sent.headers.location ?? '', 'nils', provider, () => {
        forms += 1
      })
      return { forms, refused: await browser.go(back.pathname + back.search) }
    }
    const { forms, refused } = await formsAt('/dash/v1/sign_in')
    const [, ofPage = ''] = /href="([^"]+)"/.exec(refused.text) ?? []
    // The dashboard's own link for such an account.
    const ofDashboard = '/dash/v1/sign_in?return_to=%2Fdash%2F&step_up=true'
    expect([forms, (await formsAt(ofPage)).forms, (await formsAt(ofDashboard)).forms]).toEqual([1, 1, 1])
    expect((await formsAt('/dash/v1/sign_in')).forms).toBe(0)
  })

  test('of somebody whose name and claims have a NUL stores them without it', async () => {
    const odd = (person: Person): Person => ({
      ...person,
      name: 'Olga\0 Operator',
      roles: ['a\0b', ...person.roles],
    })
    const own = await startStaffApi({
      people: people.map((person) => (person.login === 'olga' ? odd(person) : person)),
    })
    onTestFinished(() => own.stop())
    const olga = await own.signInAs('olga')
    expect((await olga.get('/me')).body).toMatchObject({ name: 'Olga Operator', role: 'operator' })
  })

  test('that the person canceled is a 403', async () => {
    const { browser, callback } = await beginSignIn(api, 'vera')
    const state = new URL(callback, publicBaseUrl).searchParams.get('state')
    const refused = await browser.go(`/dash/v1/callback?error=access_denied&state=${state}`)
    expect(refused).toMatchObject({ status: 403, text: expect.stringContaining('refused the sign-in') })
  })
})

describe('an attack', () => {
  test.each([
    '//evil.example/',
    '/\\evil.example/',
    'https://evil.example/',
    'javascript:alert(1)',
    'dash',
    '/dash/\tx',
    '/dash/\r\nset-cookie: a=b',
    '/.//evil.example',
    `/${'a'.repeat(1_000)}`,
  ])('with a return path to another site is refused: %j', async (path) => {
    const refused = await openBrowser(api).go(`/dash/v1/sign_in?return_to=${encodeURIComponent(path)}`)
    expect(refused.status).toBe(400)
    expect(refused.headers).not.toHaveProperty('location')
    expect(refused.headers).not.toHaveProperty('set-cookie')
  })

  const refusedAsNotBegun = {
    status: 400,
    text: expect.stringContaining('was not started in this browser'),
  }

  test('with another state is refused, also for an error of the provider', async () => {
    const { browser, callback } = await beginSignIn(api, 'ada')
    const forged = callback.replace(/state=[^&]*/, `state=${'A'.repeat(43)}`)
    const kept = new Map(browser.cookies)
    expect(await browser.go(forged)).toMatchObject(refusedAsNotBegun)
    expect(browser.cookies.has(SESSION)).toBe(false)
    const denied = `/dash/v1/callback?error=access_denied&state=${'A'.repeat(43)}`
    expect(await openBrowser(api, kept).go(denied)).toMatchObject(refusedAsNotBegun)
  })

  test('with somebody else’s callback signs nobody in (login CSRF)', async () => {
    const { callback } = await beginSignIn(api, 'ada')
    const victim = openBrowser(api)
    await victim.go('/dash/v1/sign_in')
    expect(await victim.go(callback)).toMatchObject(refusedAsNotBegun)
    expect(victim.cookies.has(SESSION)).toBe(false)
    const without = openBrowser(api)
    expect(await without.go(callback)).toMatchObject(refusedAsNotBegun)
  })

  test('with a code requested under another nonce is refused', async () => {
    const browser = openBrowser(api)
    const { headers } = await browser.go('/dash/v1/sign_in')
    const swapped = (headers.location ?? '').replace(/nonce=[^&]*/, `nonce=${'B'.repeat(43)}`)
    const back = await passProvider(swapped, 'ada')
    expect(await browser.go(back.pathname + back.search)).toMatchObject(refusedAsNotBegun)
    expect(browser.cookies.has(SESSION)).toBe(false)
  })

  test('with a code requested under another challenge is refused [§5.6]', async () => {
    const browser = openBrowser(api)
    const { headers } = await browser.go('/dash/v1/sign_in')
    const swapped = (headers.location ?? '').replace(
      /code_challenge=[^&]*/,
      `code_challenge=${'C'.repeat(43)}`,
    )
    const back = await passProvider(swapped, 'ada')
    expect(await browser.go(back.pathname + back.search)).toMatchObject(refusedAsNotBegun)
  })

  test('with a used code is refused, with the cookie or without', async () => {
    const { browser, callback } = await beginSignIn(api, 'ada')
    const kept = new Map(browser.cookies)
    expect((await browser.go(callback)).status).toBe(303)
    const again = openBrowser(api, kept)
    expect(await again.go(callback)).toMatchObject(refusedAsNotBegun)
    expect(again.cookies.has(SESSION)).toBe(false)
    expect(await openBrowser(api).go(callback)).toMatchObject(refusedAsNotBegun)
  })

  test('with an altered or an old cookie is refused', async () => {
    const { browser, callback } = await beginSignIn(api, 'ada')
    const cookie = browser.cookies.get(SIGN_IN) ?? ''
    const [at = '', secret, path] = cookie.split('.')
    for (const forged of [
      `${Number(at) + 1}.${secret}.${path}`,
      `${at}.${secret}.L2V2aWw`,
      'x',
      `${at}.${secret}.`,
    ]) {
      expect(await openBrowser(api, new Map([[SIGN_IN, forged]])).go(callback)).toMatchObject(
        refusedAsNotBegun,
      )
    }
    api.advance(ATTEMPT_MS + 1)
    expect(await browser.go(callback)).toMatchObject(refusedAsNotBegun)
  })

  test('with a session that was planted before the sign-in gets nothing (fixation)', async () => {
    const { browser, callback } = await beginSignIn(api, 'vera')
    browser.cookies.set(SESSION, 'P'.repeat(43))
    await browser.go(callback)
    expect(browser.cookies.get(SESSION)).not.toBe('P'.repeat(43))
    const planted = openBrowser(api, new Map([[SESSION, 'P'.repeat(43)]]))
    expect((await planted.go('/dash/v1/me')).status).toBe(401)
  })

  test('with the session before the last sign-in gets nothing: each sign-in replaces it', async () => {
    const member = await api.signInAs('vera')
    const old = member.cookies.get(SESSION) ?? ''
    const { browser, callback } = await beginSignIn(api, 'omar')
    browser.cookies.set(SESSION, old)
    await browser.go(callback)
    expect((await openBrowser(api, new Map([[SESSION, old]])).go('/dash/v1/me')).status).toBe(401)
    expect((await browser.go('/dash/v1/me')).body).toMatchObject({ subject: 'omar' })
  })
})

describe('a refusal of a navigation', () => {
  const navigate = (
    path: string,
    headers: Readonly<Record<string, string>>,
    method: 'GET' | 'POST' = 'GET',
  ) => api.call({ method, path: `/dash/v1${path}`, headers, token: null, key: null })

  const hashOf = (page: string, name: 'style' | 'script') => {
    const [, text = ''] = new RegExp(`<${name}>([^]*?)</${name}>`).exec(page) ?? []
    return `'sha256-${createHash('sha256').update(text).digest('base64')}'`
  }

  const refused = [
    ['/sign_in?return_to=%2F%2Fevil.example%2F', 'GET', 400, 'invalid_request', 'return_to'],
    ['/callback?code=x&state=y', 'GET', 400, 'invalid_request', undefined],
    ['/sign_out', 'POST', 401, 'authentication_error', undefined],
  ] as const

  test.each(refused)(
    '%s is a page that runs nothing but its own script, for a browser',
    async (path, method, status, code) => {
      for (const accept of [navigation.accept, 'text/html', 'application/json;q=0.4, text/*;q=0.5']) {
        const answer = await navigate(path, { accept }, method)
        expect(answer.status).toBe(status)
        expect(answer.text).toContain(code)
        expect(answer.headers).toMatchObject({
          'content-type': 'text/html; charset=utf-8',
          'content-security-policy': [
            "default-src 'none'",
            `style-src ${hashOf(answer.text, 'style')}`,
            `script-src ${hashOf(answer.text, 'script')}`,
            "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
          ].join('; '),
          'compat-should-retry': 'false',
          'stripe-should-retry': 'false',
          'x-content-type-options': 'nosniff',
          vary: 'accept',
        })
        expect(answer).toHaveRequestId()
      }
    },
  )

  test.each(refused)(
    '%s is the envelope for all other clients',
    async (path, method, _status, code, param) => {
      for (const accept of [
        '*/*',
        'application/json',
        'text/html;q=0.5, application/json',
        'image/png',
        '?',
      ]) {
        expect(await navigate(path, { accept }, method)).toBeRefusal(code, param)
      }
      const answer = await navigate(path, {}, method)
      expect(answer).toBeRefusal(code, param)
      expect(answer.headers.vary).toBe('accept')
    },
  )

  test('a route that no browser navigates to answers with the envelope', async () => {
    expect(await navigate('/me', navigation)).toBeRefusal('authentication_error')
    expect(await navigate('/nothing', navigation)).toBeRefusal('unknown_route')
  })
})

test('no log line has a secret, code, token or cookie', () => {
  const log = lines.join('\n')
  expect(lines.length).toBeGreaterThan(20)
  expect(log).not.toContain(secretOfClient)
  expect(log).not.toMatch(/code=|state=|\beyJ|__Host|Omar|[\w-]{43}/)
})

describe('a provider', () => {
  /** Gives the configured answers, or none. */
  async function startProvider() {
    const told = { hangs: false, broken: true, asked: 0 }
    const server = createServer((request, response) => {
      told.asked += 1
      if (told.hangs) return
      if (told.broken || request.url !== '/.well-known/openid-configuration') response.writeHead(503).end()
      else sendDiscovery(response, issuer)
    })
    const issuer = `http://127.0.0.1:${await listen(server)}`
    const away = await startStaffApi({ issuer, clock: 'still' })
    onTestFinished(() => away.stop())
    return { told, away }
  }

  test('that is unavailable is a page that says so, and affects no other surface; it is not contacted again at once', async () => {
    const { told, away } = await startProvider()
    const answer = await openBrowser(away).go('/dash/v1/sign_in')
    expect(answer).toMatchObject({
      status: 502,
      text: expect.stringContaining('does not answer'),
      headers: { 'compat-should-retry': 'true' },
    })
    expect(answer.text).not.toContain('127.0.0.1')
    expect((await away.call({ path: '/v1/payment_intents' })).status).toBe(200)
    expect((await openBrowser(away).go('/dash/v1/sign_in')).status).toBe(502)
    expect(told.asked).toBe(1)
    told.broken = false
    away.advance(3_000)
    expect((await openBrowser(away).go('/dash/v1/sign_in')).status).toBe(303)
  })

  test('that hangs ends in a time-out of seconds, shared by all who wait', async () => {
    const { told, away } = await startProvider()
    told.hangs = true
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => openBrowser(away).go('/dash/v1/sign_in')),
    )
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([502]))
    expect(told.asked).toBe(1)
  }, 20_000)

  test('whose token endpoint fails signs nobody in, and is reported as unavailable', async () => {
    const { told, away } = await startProvider()
    told.broken = false
    const browser = openBrowser(away)
    const sent = await browser.go('/dash/v1/sign_in')
    const state = new URL(sent.headers.location ?? '').searchParams.get('state')
    const refused = await browser.go(`/dash/v1/callback?code=x&state=${state}`)
    expect(refused.status).toBe(502)
    expect(browser.cookies.has(SESSION)).toBe(false)
  })
})
