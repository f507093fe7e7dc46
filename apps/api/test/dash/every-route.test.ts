import type { Operation, StaffRole } from '@merchant-payments/contract'
import { STAFF_IDLE_MS, STAFF_SESSION_MS } from '@merchant-payments/core'
import { afterAll, describe, expect, onTestFinished, test } from 'vitest'
import { parametersOf } from '../fuzz/parameters.ts'
import { prefixOf } from '../fuzz/targets.ts'
import { publicBaseUrl, PUSH_RAIL, startTestApi } from '../harness.ts'
import { send, type TestAnswer } from '../send.ts'
import { dashOperations, operationCalls } from '../v1/operations.ts'
import { openBrowser, type StaffMember, startStaffApi } from './staff.ts'

const api = await startStaffApi()
const vera = await api.signInAs('vera')
const omar = await api.signInAs('omar')
const ada = await api.signInAs('ada')
afterAll(() => api.stop())

const HEX = '0193f2d5e0a07c3e9b1a2b3c4d5e6f70'
const pathOf = (operation: Operation) => {
  const prefix = prefixOf(operation) ?? ''
  const id = prefix === 'client' ? 'acme' : `${prefix}_${HEX}`
  return operation.path.replace('/dash/v1', '').replace('{id}', id)
}
const form = { reason: 'Because the merchant asked.', outcome: 'failed' }
const { reason } = form
/** The parameters that an operation requires. Default: a reason alone. */
const forms: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'dash.charges.resolve': form,
  'dash.attentionItems.resolve': { reason, seen_version: 'seen' },
  'dash.statements.create': { reason, rail: PUSH_RAIL, day: '2026-11-21' },
  'dash.bulkJobs.create': { kind: 'delivery.replay', 'ids[0]': `wd_${HEX}`, reason },
  'dash.savedViews.create': { list: 'payments', name: 'Mine', search: '', shared: 'no', reason },
  'dash.merchantClients.recover': { endpoint: 'main', from: '1767225600', reason },
}
const formOf = ({ id, keyless }: Operation) => (keyless === true ? {} : (forms[id] ?? { reason }))

const noKey = { headers: { 'idempotency-key': undefined } }

const named = (among: readonly Operation[]) => among.map((operation) => [operation.id, operation] as const)
const isRead = (operation: Operation) => operation.isRead === true
const reads = named(dashOperations.filter(isRead))
const changes = named(dashOperations.filter(({ method, keyless }) => method === 'POST' && keyless !== true))

const call = (who: StaffMember, operation: Operation) => {
  if (operation.method === 'GET') return who.get(pathOf(operation))
  if (operation.keyless !== true) return who.post(pathOf(operation), formOf(operation))
  const isLookUp = operation.id === 'dash.lookup.retrieve'
  return isLookUp ? who.lookUp('x') : who.post(pathOf(operation), {}, noKey)
}

test('reads and changes exist [§4.6]', () => {
  expect([reads.length, changes.length]).toEqual([39, 25])
})

describe('401: without a session', () => {
  test.each(named(dashOperations))('%s', async (_id, operation) => {
    const { method } = operation
    const path = `/dash/v1${pathOf(operation)}`
    const merchant = { authorization: `Bearer ${await api.tokenFor('acme')}` }
    for (const headers of [
      {},
      { cookie: '__Host-staff_session=' },
      { cookie: `__Host-staff_session=${'A'.repeat(43)}` },
      merchant,
    ]) {
      expect(await send(api.origin, { method, path, headers })).toBeRefusal('authentication_error')
    }
  })

  test('a session does not open a merchant’s own route', async () => {
    const cookie = Array.from(ada.cookies, ([name, value]) => `${name}=${value}`).join('; ')
    for (const [name, { method, path }] of operationCalls) {
      const answer = await send(api.origin, {
        method,
        path,
        headers: { cookie, 'csrf-token': ada.csrfToken },
      })
      expect([name, answer.status]).toEqual([name, 401])
    }
  })
})

describe('403: the role is too low', () => {
  const below: Record<Exclude<StaffRole, 'viewer'>, () => [StaffMember, string][]> = {
    operator: () => [[vera, 'viewer']],
    admin: () => [
      [vera, 'viewer'],
      [omar, 'operator'],
    ],
  }

  test.each(changes)('%s names the required role', async (_id, operation) => {
    const needed = operation.role === 'admin' ? 'admin' : 'operator'
    for (const [who, role] of below[needed]()) {
      const refused = await call(who, operation)
      expect(refused).toBeRefusal('forbidden')
      expect(refused.body.error.message).toBe(`This needs the role ${needed}; yours is ${role}.`)
    }
  })

  test.each(reads)('%s is allowed to every role', async (_id, operation) => {
    const isUnknown = operation.path.includes('{') && prefixOf(operation) !== 'client'
    expect((await call(vera, operation)).status).toBe(isUnknown ? 404 : 200)
  })
})

describe('403: the request did not come from the dashboard', () => {
  test.each(named(dashOperations.filter(({ method }) => method === 'POST')))('%s', async (_id, operation) => {
    for (const token of [undefined, '', omar.csrfToken, `${ada.csrfToken}A`]) {
      const headers = { 'csrf-token': token }
      const answer = await ada.post(pathOf(operation), formOf(operation), { headers })
      expect(answer).toBeRefusal('forbidden', 'csrf_token')
    }
    const strange: Readonly<Record<string, string | undefined>>[] = [
      { origin: undefined },
      { origin: 'null' },
      { origin: 'http://evil.example' },
      { origin: `${publicBaseUrl}.evil.example` },
      { origin: publicBaseUrl.replace('http', 'https') },
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { 'sec-fetch-site': 'none' },
    ]
    for (const headers of strange) {
      expect(await ada.post(pathOf(operation), formOf(operation), { headers })).toBeRefusal('forbidden')
    }
  })

  test.each(named(dashOperations.filter(({ method }) => method === 'GET')))(
    '%s: a browser that another site sends there',
    async (_id, operation) => {
      const path = pathOf(operation)
      for (const site of ['cross-site', 'same-site']) {
        expect(await ada.get(path, { 'sec-fetch-site': site })).toBeRefusal('forbidden')
      }
      for (const site of ['same-origin', 'none']) {
        expect((await ada.get(path, { 'sec-fetch-site': site })).status).not.toBe(403)
      }
    },
  )

  test('and changed nothing: no client is disabled, and the log is empty', async () => {
    expect((await ada.get('/merchant_clients')).body.data[0].disabled).toBeNull()
    // A viewer has made a file above, which is a read.
    const entries: { action: string }[] = (await ada.get('/audit_entries')).body.data
    expect(entries.filter(({ action }) => action !== 'export.create')).toEqual([])
    expect((await ada.get('/me')).status).toBe(200)
  })
})

describe('404', () => {
  const withIds = named(dashOperations.filter((one) => one.path.includes('{') && prefixOf(one) !== 'client'))

  test.each(withIds)('%s: an unknown id and a malformed one have the same answer', async (_id, operation) => {
    const path = operation.path.replace('/dash/v1', '')
    for (const id of [
      `${prefixOf(operation)}_${HEX}`,
      'x',
      '..%2f..',
      `xx_${HEX}`,
      `${prefixOf(operation)}_${HEX.toUpperCase()}`,
    ]) {
      const at = path.replace('{id}', id)
      const answer = operation.method === 'GET' ? await ada.get(at) : await ada.post(at, formOf(operation))
      expect(answer).toBeRefusal('resource_missing')
      expect(answer.text).not.toContain(HEX)
    }
  })

  test.each(['', '/', '/x', '/payment_intents/', '/payment_intents/x/y', '/customers/search'])(
    'no such route: %j',
    async (path) => {
      expect(await ada.get(path)).toBeRefusal('unknown_route')
    },
  )

  test('without configured staff the surface does not exist [§1.6]', async () => {
    const without = await startTestApi()
    for (const path of ['/dash/v1/me', '/dash/v1/sign_in', '/dash/v1/callback', '/dash/v1/payment_intents']) {
      expect(await send(without.origin, { method: 'GET', path, headers: {} })).toBeRefusal('unknown_route')
    }
    await without.stop()
  })
})

describe('a cookie that sends its author’s next reads to the primary', () => {
  const hasIt = ({ headers }: TestAnswer) =>
    String(headers['set-cookie']).includes('__Host-staff_changed=yes')

  test.each(named(dashOperations.filter((operation) => !isRead(operation))))(
    'is set by %s, which changes something',
    async (_id, operation) => {
      expect(hasIt(await call(await api.signInAs('ada'), operation))).toBe(true)
    },
  )

  test.each(reads)('is not set by %s', async (_id, operation) => {
    expect(hasIt(await call(ada, operation))).toBe(false)
  })
})

describe('any query', () => {
  const strange = [
    '',
    '+',
    '%00',
    '%',
    '%F0%9F%98%80',
    "'%20or%201=1--",
    '__proto__',
    '[x]',
    '-1',
    '1e3',
    'a'.repeat(3_000),
  ]
  const lists = named(dashOperations.filter(({ query }) => query !== undefined))

  test.each(lists)('%s has an answer that is not an internal error', async (_id, operation) => {
    const path = operation.path.replace('/dash/v1', '')
    for (const name of [...parametersOf(operation.query), 'created[gte]', 'created[lt]', '__proto__']) {
      for (const value of strange) {
        const { status, body } = await ada.get(`${path}?${name}=${value}`)
        expect.soft([status < 500, typeof (body?.error ?? {})], `${name}=${value}`).toEqual([true, 'object'])
      }
    }
  })

  test('an unknown client is a 404, in every spelling', async () => {
    for (const id of ['%00', 'a%20b', 'a'.repeat(65), '%2F', "'--"]) {
      for (const action of ['disable', 'enable']) {
        const answer = await ada.post(`/merchant_clients/${id}/${action}`, { reason: 'No.' })
        expect(answer).toBeRefusal('resource_missing')
      }
    }
  })
})

describe('405', () => {
  test.each([
    ['POST', '/dash/v1/me'],
    ['DELETE', '/dash/v1/payment_intents'],
    ['GET', '/dash/v1/sign_out'],
    ['POST', '/dash/v1/callback'],
    ['GET', '/dash/v1/backchannel_logout'],
  ])('%s %s', async (method, path) => {
    const answer = await send(api.origin, { method, path, headers: {} })
    expect({ status: answer.status, text: answer.text }).toEqual({ status: 405, text: '' })
  })
})

describe('400', () => {
  test.each(changes)('%s requires a reason, a key and a form', async (_id, operation) => {
    const path = pathOf(operation)
    const { reason: _, ...rest } = formOf(operation)
    expect(await ada.post(path, rest)).toBeRefusal('invalid_request', 'reason')
    expect(await ada.post(path, { ...formOf(operation), reason: '' })).toBeRefusal(
      'invalid_request',
      'reason',
    )
    expect(await ada.post(path, { ...formOf(operation), reason: 'r'.repeat(501) })).toBeRefusal(
      'invalid_request',
      'reason',
    )
    expect(await ada.post(path, { ...formOf(operation), colour: 'red' })).toBeRefusal(
      'invalid_request',
      'colour',
    )
    expect(await ada.post(path, formOf(operation), noKey)).toBeRefusal('invalid_request', 'idempotency_key')
    const json = { headers: { 'content-type': 'application/json' } }
    expect(await ada.post(path, formOf(operation), json)).toBeRefusal('invalid_request')
  })

  test.each(named(dashOperations.filter(({ query }) => query !== undefined)))(
    '%s refuses a parameter that it does not have',
    async (_id, { path }) => {
      const at = path.replace('/dash/v1', '')
      expect(await ada.get(`${at}?colour=red`)).toBeRefusal('invalid_request', 'colour')
    },
  )
})

describe('a session', () => {
  test('ends after half an hour without use', async () => {
    const own = await startStaffApi({ clock: 'still' })
    const member = await own.signInAs('vera')
    own.advance(STAFF_IDLE_MS - 1_000)
    expect((await member.get('/me')).status).toBe(200)
    own.advance(STAFF_IDLE_MS - 1_000)
    expect((await member.get('/me')).status).toBe(200)
    own.advance(STAFF_IDLE_MS + 1_000)
    expect(await member.get('/me')).toBeRefusal('authentication_error')
    await own.stop()
  })

  test('ends after eight hours, also if it is used', async () => {
    const own = await startStaffApi()
    const member = await own.signInAs('vera')
    for (let passed = 0; passed < STAFF_SESSION_MS; passed += STAFF_IDLE_MS / 2) {
      expect((await member.get('/me')).status).toBe(200)
      own.advance(STAFF_IDLE_MS / 2)
    }
    expect(await member.get('/me')).toBeRefusal('authentication_error')
    await own.signInAs('vera')
    expect(await own.db.reader.selectFrom('staff_sessions').select('subject').execute()).toHaveLength(1)
    await own.stop()
  })

  test('has the role that the configuration gives its claims now: a removed role is lost at once', async () => {
    const roles = new Map([['payments-admin', 'admin' as const]])
    const own = await startStaffApi({ roles })
    const member = await own.signInAs('ada')
    expect((await member.get('/me')).body.role).toBe('admin')
    roles.set('payments-admin', 'viewer' as never)
    expect((await member.get('/me')).body.role).toBe('viewer')
    roles.clear()
    expect(await member.get('/me')).toBeRefusal('forbidden')
    await own.stop()
  })

  test('ends at a sign-out of somebody who has no role any more, from our own page alone', async () => {
    const roles = new Map([['payments-operator', 'operator' as const]])
    const own = await startStaffApi({ roles })
    onTestFinished(() => own.stop())
    const omar = await own.signInAs('omar')
    roles.clear()
    const signOut = (headers = {}) =>
      omar.post('/sign_out', {}, { headers: { 'idempotency-key': undefined, ...headers } })
    expect(await signOut({ 'csrf-token': 'another' })).toBeRefusal('forbidden', 'csrf_token')
    expect(await omar.get('/me')).toBeRefusal('forbidden')
    expect((await signOut()).status).toBe(200)
    expect(await own.db.reader.selectFrom('staff_sessions').select('subject').execute()).toEqual([])
  })

  test('ends at once at a sign-out, for every copy of its cookie', async () => {
    const member = await api.signInAs('omar')
    const kept = new Map(member.cookies)
    const out = await member.post('/sign_out', {}, { headers: { 'idempotency-key': undefined } })
    expect(out).toMatchObject({
      status: 200,
      body: { object: 'signed_out', redirect_to: expect.stringContaining(`${api.idp.issuer}/session/end?`) },
    })
    expect(out.headers['set-cookie']).toEqual([
      expect.stringContaining('__Host-staff_changed=yes;'),
      '__Host-staff_session=; Max-Age=0; Path=/; HttpOnly; Secure; SameSite=Lax',
    ])
    expect((await openBrowser(api, kept).go('/dash/v1/me')).status).toBe(401)
  })
})

test('no answer may be cached, framed or read by another site', async () => {
  for (const path of ['/me', '/payment_intents', '/nope']) {
    expect((await ada.get(path)).headers).toMatchObject({
      'cache-control': 'no-store',
      'cross-origin-resource-policy': 'same-origin',
      'x-content-type-options': 'nosniff',
    })
    expect((await ada.get(path)).headers).not.toHaveProperty('access-control-allow-origin')
  }
})
