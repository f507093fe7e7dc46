import { randomUUID } from 'node:crypto'
import type { FaultPoint } from '@merchant-payments/core'
import { afterAll, afterEach, describe, expect, test } from 'vitest'
import { settle, startTestApi } from '../harness.ts'
import { chargesOf } from '../rows.ts'
import { confirmCall, createCall, createIntent, intentForm, readIntent } from '../steps.ts'
import { operationCalls } from '../v1/operations.ts'

let broken: FaultPoint | null = null
const api = await startTestApi({
  fault: (point) => {
    if (point === broken) throw new Error('relation "payment_intents" at 127.0.0.1:5432, password hunter2')
  },
})
afterAll(() => api.stop())
afterEach(() => {
  broken = null
})

describe('a body that is not a form [§2.1]', () => {
  const bodies: [string, string, string][] = [
    ['JSON', 'application/json', '{"amount":5000}'],
    ['broken JSON', 'application/json', '{"amount":'],
    ['JSON of a charset', 'application/json; charset=utf-8', '{}'],
    ['a kind of JSON', 'application/vnd.api+json', '{}'],
    ['text', 'text/plain', intentForm],
    ['multipart', 'multipart/form-data; boundary=x', '--x--'],
    ['XML', 'application/xml', '<a/>'],
    ['a form in UTF-16', 'application/x-www-form-urlencoded; charset=utf-16', intentForm],
    ['a form in Latin 1', 'application/x-www-form-urlencoded; charset=iso-8859-1', intentForm],
    ['a form with a strange parameter', 'application/x-www-form-urlencoded; boundary=x', intentForm],
    ['almost a form', 'application/x-www-form-urlencoded2', intentForm],
    ['no type at all', '', intentForm],
    ['garbage for a type', ';;;', intentForm],
  ]
  test.each(bodies)('%s is refused', async (_, type, body) => {
    expect(await api.call(createCall(body, { headers: { 'content-type': type } }))).toBeRefusal(
      'invalid_request',
    )
  })

  test('is refused on every POST, before its key is checked [§7.2]', async () => {
    const headers = { 'content-type': 'application/json' }
    for (const [, call] of operationCalls.filter(([, { method }]) => method === 'POST')) {
      expect(await api.call({ ...call, form: '{}', headers, key: null })).toBeRefusal('invalid_request')
    }
  })
})

describe('a malformed form', () => {
  const text = new TextEncoder()
  const forms: [string, string | Uint8Array, string | undefined][] = [
    ['JSON called a form', '{"amount":5000}', 'amount'],
    ['a lone bracket', '[=1', undefined],
    ['a bracket first', '[a]=1', undefined],
    ['an unclosed bracket', 'amount[=1', 'amount'],
    ['a bracket too many', 'amount]=1', undefined],
    ['text after a bracket', 'amount[a]b=1', 'amount'],
    ['brackets in brackets', 'metadata[a[b]]=1', 'metadata'],
    ['six levels', 'a[1][2][3][4][5][6]=1', 'a[1][2][3][4][5][6]'],
    ['a name that is not UTF-8', '%FF=1', undefined],
    ['a name that is cut', '%=1', undefined],
    ['a NUL in a name', 'a%00b=1', undefined],
    ['raw bytes that are not UTF-8', Uint8Array.of(0x61, 0x3d, 0xff, 0xfe), undefined],
    ['a raw NUL', text.encode('a=\u0000'), 'a'],
    ['a UTF-16 byte order mark', Uint8Array.of(0xff, 0xfe, 0x61, 0x00), undefined],
    ['1001 parameters', Array.from({ length: 1001 }, (_, n) => `k${n}=`).join('&'), undefined],
  ]
  test.each(forms)('%s is refused', async (_, form, param) => {
    expect(await api.call(createCall(form as string))).toBeRefusal('invalid_request', param)
  })

  const bombs: [string, string][] = [
    ['opening brackets', '['.repeat(65_000)],
    ['closing brackets', ']'.repeat(65_000)],
    ['a name of brackets', `a${'[]'.repeat(32_000)}=1`],
    ['nested names', `a${'[a]'.repeat(21_000)}=1`],
    ['unclosed names', 'a[a'.repeat(21_000)],
    ['a thousand places of a list', Array.from({ length: 1000 }, () => 'a[]=1').join('&')],
    ['separators', '&'.repeat(65_536)],
    ['equals signs', '='.repeat(65_536)],
    ['percent signs', '%'.repeat(65_536)],
    ['one long name', 'n'.repeat(65_536)],
    ['one long name outside the basic plane', `${intentForm}&metadata[${'😀'.repeat(16_000)}]=1`],
  ]
  test.each(bombs)('a bomb of %s is a 400 with a short message', async (_, form) => {
    const answer = await api.call(createCall(form))
    expect(answer).toBeRefusal('invalid_request', answer.body.error.param)
    expect(answer.text.length).toBeLessThan(500)
    expect(answer.body.error.param?.isWellFormed()).not.toBe(false)
  })
})

describe('500', () => {
  test('a bug reveals nothing, and the key is released [§7.1, §8]', async () => {
    const key = randomUUID()
    broken = 'create.committed'
    const answer = await api.call(createCall(intentForm, { key }))
    expect(answer).toBeRefusal('internal_error')
    expect(answer.text).not.toMatch(/hunter2|payment_intents|5432/)
    broken = null
    const retry = await api.call(createCall(intentForm, { key }))
    expect(retry.status).toBe(201)
    const listed = await api.call({ path: '/v1/payment_intents?limit=100' })
    expect(listed.body.data.filter(({ id }: { id: string }) => id === retry.body.id)).toHaveLength(1)
  })

  const bugIn = async (point: FaultPoint) => {
    const { id } = await createIntent(api)
    const key = randomUUID()
    broken = point
    expect(await api.call(confirmCall(id, undefined, { key }))).toBeRefusal('internal_error')
    broken = null
    return { id, retry: () => api.call(confirmCall(id, undefined, { key })) }
  }
  const statusAfterThePasses = async (id: string) => {
    for (let pass = 0; pass < 6; pass += 1) await settle(api)
    return (await readIntent(api, id)).body.status
  }

  test.each([
    ['before the rail was asked', 'confirm.charge_committed', 'requires_payment_method'],
    ['after the rail accepted', 'confirm.rail_answered', 'succeeded'],
  ] as const)(
    'a bug in a confirm, %s: the key is released, and the worker finds the truth',
    async (_, point, truth) => {
      const { id, retry } = await bugIn(point)
      expect(await retry()).toBeRefusal('charge_in_progress')
      expect(await statusAfterThePasses(id)).toBe(truth)
      expect(await chargesOf(api, id)).toHaveLength(1)
    },
  )

  test('after a bug in a confirm whose answer was stored, a retry gets that answer', async () => {
    const { id, retry } = await bugIn('confirm.answer_committed')
    const answer = await retry()
    expect(answer).toMatchObject({ status: 200, body: { id, status: 'processing' } })
    expect(answer.headers['idempotent-replayed']).toBe('true')
    expect(await statusAfterThePasses(id)).toBe('succeeded')
    expect(await chargesOf(api, id)).toHaveLength(1)
  })
})

describe('every answer', () => {
  test('has its own request id, whatever the client sent [§7.2]', async () => {
    const ids = new Set<unknown>()
    for (let n = 0; n < 20; n += 1) {
      const headers = { 'request-id': 'req_mine', 'x-request-id': 'req_mine' }
      const answer = await api.call({ path: n % 2 ? '/v1/events' : '/healthz', headers })
      expect(answer).toHaveRequestId()
      ids.add(answer.headers['request-id'])
    }
    expect(ids.size).toBe(20)
  })

  test('has its retry header under both names, also in the format of the token endpoint [§7.2]', async () => {
    const call = { path: '/v1/oauth/token', form: 'grant_type=password', token: null, key: null }
    const { status, headers } = await api.call(call)
    expect([status, headers['compat-should-retry'], headers['stripe-should-retry']]).toEqual([
      400,
      'false',
      'false',
    ])
  })
})

// Last, because no later test of this file could use the database.
describe('without its database', () => {
  test('/v1 answers 503 in the envelope, and /healthz stays 200', async () => {
    const { id } = await createIntent(api)
    await api.loseDatabase()
    for (const call of [
      createCall(),
      confirmCall(id),
      { path: '/v1/payment_intents' },
      { path: `/v1/payment_intents/${id}` },
      { path: '/v1/events' },
    ]) {
      expect(await api.call(call)).toBeRefusal('service_unavailable')
    }
    expect(await api.call(createCall('amount=x'))).toBeRefusal('service_unavailable')
    expect((await api.call({ path: '/healthz' })).status).toBe(200)
  })
})
