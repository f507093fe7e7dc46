import { randomUUID } from 'node:crypto'
import type { RailAdapter, RailCode } from '@merchant-payments/core'
import { afterAll, describe, expect, onTestFinished, test } from 'vitest'
import { COALESCE_MS } from '../src/rail-callback/coalesce.ts'
import { EURO_RAIL, PUSH_RAIL, settle, startTestApi, type TestApi, type TestCall } from './harness.ts'
import { chargesOf } from './rows.ts'
import { confirmedIntent, eventTypesOf, readIntent } from './steps.ts'

const api = await startTestApi({ clock: 'still' })
afterAll(() => api.stop())

const SECOND_MS = 1_000

/** Settles without a wait, so only charges that are already due are queried. */
const settleNow = () => settle(api, 0)

/** A pending charge whose next query is not due for a while, and the address that the rail got. */
async function waitingCharge() {
  const { id } = await confirmedIntent(api, 'waitsForThePayer')
  const [charge] = await chargesOf(api, id)
  const reference = charge?.reference ?? ''
  const calls = await api.mock.control.listCalls({ operation: 'submit' })
  const callbackUrl = new URL(calls.find((call) => call.reference === reference)?.callbackUrl ?? '')
  for (let pass = 0; pass < 4; pass += 1) await settle(api)
  api.advance(2 * SECOND_MS)
  return { id, reference, path: `${callbackUrl.pathname}${callbackUrl.search}` }
}

const callBack = (path: string, more: Partial<TestCall> = {}, of: TestApi = api) =>
  of.call({ method: 'PUT', path, token: null, key: null, ...more })

const statusQueries = async (of: TestApi, reference: string) =>
  (await of.mock.control.listCalls({ operation: 'status' })).filter((call) => call.reference === reference)
    .length

const json = { 'content-type': 'application/json' }

describe('a callback', () => {
  test('makes the next status query due, so that the next pass settles [§5.6]', async () => {
    const { id, reference, path } = await waitingCharge()
    await api.mock.control.approveCharge(reference)
    await settleNow()
    expect((await readIntent(api, id)).body.status).toBe('processing')
    const answer = await callBack(path)
    expect({ status: answer.status, text: answer.text }).toEqual({ status: 200, text: '' })
    expect(answer).toHaveRequestId()
    expect((await readIntent(api, id)).body.status).toBe('processing')
    await settleNow()
    expect((await readIntent(api, id)).body.status).toBe('succeeded')
  })

  test.each(['PUT', 'POST'] as const)('is accepted by %s', async (method) => {
    const { reference, path } = await waitingCharge()
    const asked = await statusQueries(api, reference)
    expect((await callBack(path, { method })).status).toBe(200)
    await settleNow()
    expect(await statusQueries(api, reference)).toBe(asked + 1)
  })

  test('never changes a state, whatever it contains [§1.6]', async () => {
    const { id, reference, path } = await waitingCharge()
    const forged = JSON.stringify({
      financialTransactionId: '1',
      externalId: reference,
      amount: '5000',
      currency: 'XAF',
      status: 'SUCCESSFUL',
    })
    const before = (await readIntent(api, id)).body
    for (const method of ['PUT', 'POST'] as const)
      await callBack(path, { method, form: forged, headers: json })
    expect((await readIntent(api, id)).body).toEqual(before)
    await settleNow()
    expect((await readIntent(api, id)).body).toEqual(before)
    expect(await eventTypesOf(api, id)).toEqual([])
  })

  test('repeated many times causes one query, no sooner than two seconds after the last', async () => {
    const { reference, path } = await waitingCharge()
    const before = await statusQueries(api, reference)
    await Promise.all(Array.from({ length: 50 }, () => callBack(path)))
    await settleNow()
    expect(await statusQueries(api, reference)).toBe(before + 1)
    api.advance(COALESCE_MS)
    await Promise.all(Array.from({ length: 50 }, () => callBack(path)))
    await settleNow()
    expect(await statusQueries(api, reference)).toBe(before + 1)
    await settle(api, 2 * SECOND_MS)
    expect(await statusQueries(api, reference)).toBe(before + 2)
  })

  test('for a settled charge changes nothing', async () => {
    const { id, reference, path } = await waitingCharge()
    await api.mock.control.approveCharge(reference)
    await settle(api)
    const before = await readIntent(api, id)
    await callBack(path)
    const asked = await statusQueries(api, reference)
    await settle(api)
    expect(await statusQueries(api, reference)).toBe(asked)
    expect((await readIntent(api, id)).text).toBe(before.text)
  })

  test('of another rail does not reach the charge', async () => {
    const { reference, path } = await waitingCharge()
    const asked = await statusQueries(api, reference)
    await callBack(path.replace(PUSH_RAIL, EURO_RAIL))
    await settleNow()
    expect(await statusQueries(api, reference)).toBe(asked)
  })
})

describe('every other call has the same answer, and no effect', () => {
  test.each<[string, string, Partial<TestCall>]>([
    ['an unknown reference', `/provider/${PUSH_RAIL}/callback?ref=0193f2d5-e0a0-7c3e-9b1a-2b3c4d5e6f70`, {}],
    ['a malformed reference', `/provider/${PUSH_RAIL}/callback?ref=%27--`, {}],
    ['a NUL', `/provider/${PUSH_RAIL}/callback?ref=%00`, {}],
    ['a broken escape', `/provider/${PUSH_RAIL}/callback?ref=%zz`, {}],
    ['a list', `/provider/${PUSH_RAIL}/callback?ref[]=a&ref=b&ref=c`, {}],
    ['a long reference', `/provider/${PUSH_RAIL}/callback?ref=${'r'.repeat(8_000)}`, {}],
    ['a long query', `/provider/${PUSH_RAIL}/callback?${'a&'.repeat(4_000)}`, {}],
    ['nothing', `/provider/${PUSH_RAIL}/callback`, {}],
    [
      'many numbers',
      `/provider/${PUSH_RAIL}/callback`,
      { form: `{"a":[${'1,'.repeat(32_750)}1]}`, headers: json },
    ],
    ['no JSON', `/provider/${PUSH_RAIL}/callback`, { form: '{"externalId":', headers: json }],
    ['null', `/provider/${PUSH_RAIL}/callback`, { form: 'null', headers: json }],
    ['a list in JSON', `/provider/${PUSH_RAIL}/callback`, { form: '[[[]]]', headers: json }],
    ['a NUL in JSON', `/provider/${PUSH_RAIL}/callback`, { form: '{"externalId":"\\u0000"}', headers: json }],
    [
      'an object for a reference',
      `/provider/${PUSH_RAIL}/callback`,
      { form: '{"externalId":{"a":1}}', headers: json },
    ],
    [
      'a number for a reference',
      `/provider/${PUSH_RAIL}/callback`,
      { form: '{"externalId":1e400}', headers: json },
    ],
    ['deep JSON', `/provider/${PUSH_RAIL}/callback`, { form: '['.repeat(60_000), headers: json }],
    ['bytes', `/provider/${PUSH_RAIL}/callback`, { form: Uint8Array.of(0xff, 0xfe, 0x00) }],
    [
      'an unreadable type',
      `/provider/${PUSH_RAIL}/callback`,
      { form: '{}', headers: { 'content-type': ';' } },
    ],
    ['a bearer token', `/provider/${PUSH_RAIL}/callback`, { token: 'garbage' }],
  ])('%s', async (_, path, more) => {
    const { reference } = await waitingCharge()
    const asked = await statusQueries(api, reference)
    const answer = await callBack(path, more)
    expect({ status: answer.status, text: answer.text }).toEqual({ status: 200, text: '' })
    expect(answer).toHaveRequestId()
    await settleNow()
    expect(await statusQueries(api, reference)).toBe(asked)
  })

  test('a rail that the deployment does not have', async () => {
    for (const code of ['nobody', '__proto__', 'MTN_MOMO_CM', '%00', '%zz', 'x'.repeat(5_000)]) {
      const answer = await callBack(`/provider/${code}/callback?ref=x`)
      expect({ status: answer.status, text: answer.text }).toEqual({ status: 200, text: '' })
    }
  })
})

test('a flood of callbacks is spread over time, and those that would wait too long are refused', async () => {
  const still = await startTestApi({ clock: 'still' })
  onTestFinished(() => still.stop())
  // A hundred at once, and those of the following second.
  const taken = 1_100
  const calls = Array.from({ length: taken + 50 }, (_, n) =>
    callBack(`/provider/${PUSH_RAIL}/callback?ref=flood-${n}`, {}, still),
  )
  const [last, ...refused] = (await Promise.all(calls)).filter(({ status }) => status !== 200)
  expect(refused).toHaveLength(49)
  expect(last).toBeRefusal('service_unavailable')
})

test('no body of a flood is parsed before its turn, nor one whose address has a reference', async () => {
  const still = await startTestApi({ clock: 'still' })
  onTestFinished(() => still.stop())
  let parsed = 0
  const counted = [...still.rails].map(([code, rail]): [RailCode, RailAdapter] => [
    code,
    {
      ...rail,
      parseCallbackBody: (body) => {
        parsed += 1
        return rail.parseCallbackBody(body)
      },
    },
  ])
  const { call } = await still.deploy(new Map(counted))
  const form = `{"a":[${'1,'.repeat(1_000)}1]}`
  const flood = async (path: string, calls: number) => {
    const sent = Array.from({ length: calls }, () =>
      call({ method: 'POST', path, form, headers: json, token: null, key: null }),
    )
    return (await Promise.all(sent)).filter(({ status }) => status === 200).length
  }
  const path = `/provider/${PUSH_RAIL}/callback`
  expect(await flood(`${path}?ref=${randomUUID()}`, 50)).toBe(50)
  expect(parsed).toBe(0)
  // A turn for each of the following second, and those of the hundred at once that are left.
  expect(await flood(path, 1_100)).toBe(1_050)
  expect(parsed).toBe(1_050)
})

test('the first callback of a charge of this process waits behind no flood', async () => {
  const still = await startTestApi({ clock: 'still' })
  onTestFinished(() => still.stop())
  const { id } = await confirmedIntent(still, 'waitsForThePayer')
  const [charge] = await chargesOf(still, id)
  const path = `/provider/${PUSH_RAIL}/callback?ref=${charge?.reference}`
  const flood = Array.from({ length: 1_150 }, (_, n) =>
    callBack(`/provider/${PUSH_RAIL}/callback?ref=flood-${n}`, {}, still),
  )
  const isOver = Promise.all(flood).then(() => 'flood')
  expect(await Promise.race([callBack(path, {}, still).then(({ status }) => status), isOver])).toBe(200)
  await isOver
})
