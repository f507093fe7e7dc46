import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import { listen } from '@merchant-payments/testing/listen'
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT, UnsecuredJWT } from 'jose'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { publicBaseUrl } from '../harness.ts'
import { send, type TestAnswer } from '../send.ts'
import { clientId, openBrowser, passProvider, type StaffMember, startStaffApi } from './staff.ts'

const PATH = '/dash/v1/backchannel_logout'
const EVENT = 'http://schemas.openid.net/event/backchannel-logout'
const SESSION = '__Host-staff_session'

const api = await startStaffApi()
afterAll(() => api.stop())

const post = (token: string, origin = api.origin): Promise<TestAnswer> =>
  send(origin, {
    method: 'POST',
    path: PATH,
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ logout_token: token }).toString(),
  })

const nowSec = () => Math.floor(api.clock() / 1_000)

/** A valid token with a test's changes. Undefined omits a claim. */
const claimsWith = (changed: Readonly<Record<string, unknown>>): JWTPayload => {
  const claims = {
    iss: api.idp.issuer,
    aud: clientId,
    iat: nowSec(),
    exp: nowSec() + 120,
    jti: randomUUID(),
    events: { [EVENT]: {} },
    ...changed,
  }
  return Object.fromEntries(Object.entries(claims).filter(([, value]) => value !== undefined))
}

const logOut = async (changed: Readonly<Record<string, unknown>>) =>
  post(await api.idp.sign(claimsWith(changed), { typ: 'logout+jwt' }))

const statusOf = async (who: StaffMember) => (await who.get('/me')).status

/** The provider's session ids of a person's sign-ins. */
const sessionIdsOf = async (subject: string): Promise<(string | null)[]> => {
  const rows = await api.db.reader
    .selectFrom('staff_sessions')
    .select('provider_session_id')
    .where('subject', '=', subject)
    .execute()
  return rows.map((row) => row.provider_session_id)
}

const refusedToken = {
  status: 400,
  headers: { 'cache-control': 'no-store' },
  body: { error: 'invalid_request', error_description: 'is not a valid logout token' },
}

describe('a logout token', () => {
  test('with a sid ends the session of that sign-in, and no other', async () => {
    const [before, omar] = [await sessionIdsOf('vera'), await api.signInAs('omar')]
    const vera = await api.signInAs('vera')
    const [sid] = (await sessionIdsOf('vera')).filter((id) => !before.includes(id))
    const again = await api.signInAs('vera')
    expect(sid).toMatch(/./)
    const answer = await logOut({ sid })
    expect(answer).toMatchObject({ status: 200, text: '', headers: { 'cache-control': 'no-store' } })
    expect([await statusOf(vera), await statusOf(again), await statusOf(omar)]).toEqual([401, 200, 200])
  })

  test('with only a sub ends all sessions of that person, and no others', async () => {
    const [one, two, omar] = [
      await api.signInAs('ada'),
      await api.signInAs('ada'),
      await api.signInAs('omar'),
    ]
    expect((await logOut({ sub: 'ada' })).status).toBe(200)
    expect([await statusOf(one), await statusOf(two), await statusOf(omar)]).toEqual([401, 401, 200])
  })

  test('with a sid does not end a session of another subject', async () => {
    const olga = await api.signInAs('olga')
    const [sid] = await sessionIdsOf('olga')
    expect((await logOut({ sid, sub: 'omar' })).status).toBe(200)
    expect(await statusOf(olga)).toBe(200)
    expect((await logOut({ sid, sub: 'olga' })).status).toBe(200)
    expect(await statusOf(olga)).toBe(401)
  })

  test('with a sid and a sub ends sessions of the sub without a known sid', async () => {
    const olga = await api.signInAs('olga')
    await api.db.transact((tx) =>
      tx
        .updateTable('staff_sessions')
        .set({ provider_session_id: null })
        .where('subject', '=', 'olga')
        .execute(),
    )
    expect((await logOut({ sid: 'x' })).status).toBe(200)
    expect(await statusOf(olga)).toBe(200)
    expect((await logOut({ sid: 'x', sub: 'olga' })).status).toBe(200)
    expect(await statusOf(olga)).toBe(401)
  })

  test('for a person who is not signed in is accepted', async () => {
    expect((await logOut({ sub: 'nobody-here' })).status).toBe(200)
  })

  test('is accepted once, also if it arrives twice at once', async () => {
    const token = await api.idp.sign(claimsWith({ sub: 'ada' }))
    const answers = await Promise.all([post(token), post(token), post(token)])
    expect(answers.map(({ status }) => `${status}`).toSorted()).toEqual(['200', '400', '400'])
    const ada = await api.signInAs('ada')
    expect(await post(token)).toMatchObject({
      status: 400,
      body: { error: 'invalid_request', error_description: 'was already used' },
    })
    expect(await statusOf(ada)).toBe(200)
  })

  test('may omit exp and typ, and may have the audience in a list', async () => {
    expect((await logOut({ sub: 'x', exp: undefined, aud: [clientId] })).status).toBe(200)
    expect((await post(await api.idp.sign(claimsWith({ sub: 'x' })))).status).toBe(200)
  })
})

describe('a faulty token ends nothing:', () => {
  let vera: StaffMember
  beforeAll(async () => {
    vera = await api.signInAs('vera')
  })

  const faults: [string, () => Readonly<Record<string, unknown>>][] = [
    ['no issuer', () => ({ iss: undefined })],
    ['another issuer', () => ({ iss: 'https://login.example' })],
    ['no audience', () => ({ aud: undefined })],
    ['another audience', () => ({ aud: 'another-client' })],
    ['one audience more', () => ({ aud: [clientId, 'another-client'] })],
    ['no iat', () => ({ iat: undefined })],
    ['an old iat', () => ({ iat: nowSec() - 600 })],
    ['an iat to come', () => ({ iat: nowSec() + 600 })],
    ['an exp that is past', () => ({ exp: nowSec() - 300 })],
    ['an exp that is no number', () => ({ exp: 'tomorrow' })],
    ['no jti', () => ({ jti: undefined })],
    ['an empty jti', () => ({ jti: '' })],
    ['a jti that is no text', () => ({ jti: 7 })],
    ['a jti that is too long', () => ({ jti: 'j'.repeat(256) })],
    ['no events', () => ({ events: undefined })],
    ['events that are a list', () => ({ events: [EVENT] })],
    ['another event', () => ({ events: { 'urn:another': {} } })],
    ['an event that is no object', () => ({ events: { [EVENT]: true } })],
    ['a nonce', () => ({ nonce: 'n' })],
    ['an empty nonce', () => ({ nonce: null })],
    ['neither sub nor sid', () => ({ sub: undefined })],
    ['a sub that is no text', () => ({ sub: ['vera'] })],
    ['a sid that is no text', () => ({ sid: 7 })],
    ['an empty sid', () => ({ sid: '' })],
    ['a size beyond all use', () => ({ more: 'm'.repeat(8_192) })],
  ]

  test.each(faults)('%s', async (_fault, changed) => {
    expect(await logOut({ sub: 'vera', ...changed() })).toMatchObject(refusedToken)
    expect(await statusOf(vera)).toBe(200)
  })

  test('a signature by another key, none, or one by a shared secret', async () => {
    const claims = claimsWith({ sub: 'vera' })
    const { privateKey } = await generateKeyPair('RS256')
    const sign = (alg: string, kid = 'provider') => new SignJWT(claims).setProtectedHeader({ alg, kid })
    const [jwk] = ((await (await fetch(`${api.idp.issuer}/jwks`)).json()) as { keys: { n: string }[] }).keys
    const good = await api.idp.sign(claims)
    const [header, , signature] = good.split('.')
    const altered = Buffer.from(JSON.stringify({ ...claims, sub: 'omar' })).toString('base64url')
    for (const token of [
      await sign('RS256').sign(privateKey),
      await sign('RS256', 'unknown').sign(privateKey),
      await sign('HS256').sign(Buffer.from(jwk?.n ?? '')),
      await new SignJWT(claims)
        .setProtectedHeader({
          alg: 'RS256',
          jwk: await exportJWK((await generateKeyPair('RS256')).publicKey),
        })
        .sign(privateKey),
      new UnsecuredJWT(claims).encode(),
      `${header}.${altered}.${signature}`,
      'not.a.token',
      '',
    ]) {
      expect(await post(token)).toMatchObject(refusedToken)
    }
    expect(await statusOf(vera)).toBe(200)
    expect((await post(good)).status).toBe(200)
    expect(await statusOf(vera)).toBe(401)
  })

  test('the type of another kind of token', async () => {
    const token = await api.idp.sign(claimsWith({ sub: 'vera' }), { typ: 'at+jwt' })
    expect(await post(token)).toMatchObject(refusedToken)
  })

  test('a body that is not a form, or has no token or two', async () => {
    const ask = (type: string, body: string) =>
      send(api.origin, { method: 'POST', path: PATH, headers: { 'content-type': type }, body })
    const form = 'application/x-www-form-urlencoded'
    for (const [type, body] of [
      ['application/json', '{"logout_token":"x"}'],
      [form, ''],
      [form, 'token=x'],
      [form, 'logout_token=a&logout_token=b'],
      [form, 'logout_token[a]=b'],
      [form, 'logout_token=%ff'],
    ] as const) {
      expect(await ask(type, body)).toMatchObject({ status: 400, body: { error: 'invalid_request' } })
    }
  })
})

test('while the provider is unavailable, a logout fails as the specification requires', async () => {
  const own = await startStaffApi()
  onTestFinished(() => own.stop())
  const token = await own.idp.sign({ sub: 'vera' })
  const away = await startStaffApi({ issuer: 'http://127.0.0.1:9' })
  onTestFinished(() => away.stop())
  expect(await post(token, away.origin)).toMatchObject({
    status: 400,
    headers: { 'cache-control': 'no-store', 'compat-should-retry': 'true' },
    body: { error: 'server_error' },
  })
})

/** Replaces the provider's address for the service, whose port differs in each run. */
async function startForwarding(target: () => string): Promise<{ uri: string }> {
  const server = createServer((request, response) => {
    const forward = async () => {
      const chunks: Buffer[] = []
      for await (const chunk of request) chunks.push(chunk as Buffer)
      const headers = { 'content-type': request.headers['content-type'] ?? '' }
      const body = Buffer.concat(chunks)
      const { status } = await send(target(), { method: 'POST', path: PATH, headers, body })
      response.writeHead(status).end()
    }
    forward().catch(() => response.destroy())
  })
  return { uri: `http://127.0.0.1:${await listen(server)}${PATH}` }
}

test('a sign-out at the provider ends the session here', async () => {
  let origin = ''
  const { uri } = await startForwarding(() => origin)
  const own = await startStaffApi({ logoutUri: uri })
  onTestFinished(() => own.stop())
  origin = own.origin
  const olga = await own.signInAs('olga')
  const browser = openBrowser(own)
  const atProvider = new Map<string, string>()
  const sent = await browser.go('/dash/v1/sign_in')
  const back = await passProvider(sent.headers.location ?? '', 'omar', atProvider)
  await browser.go(back.pathname + back.search)
  expect(browser.cookies.has(SESSION)).toBe(true)
  expect((await browser.go('/dash/v1/me')).status).toBe(200)

  const cookie = Array.from(atProvider, ([name, value]) => `${name}=${value}`).join('; ')
  const end = `${own.idp.issuer}/session/end?client_id=${clientId}&post_logout_redirect_uri=${publicBaseUrl}/dash/`
  const page = await fetch(end, { headers: { cookie } })
  const [, xsrf = ''] = /name="xsrf" value="([^"]+)"/.exec(await page.text()) ?? []
  const out = await fetch(`${own.idp.issuer}/session/end/confirm`, {
    method: 'POST',
    redirect: 'manual',
    headers: { cookie, 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ xsrf, logout: 'yes' }).toString(),
  })
  expect(out.status).toBe(303)
  expect((await browser.go('/dash/v1/me')).status).toBe(401)
  expect((await olga.get('/me')).status).toBe(200)
})
