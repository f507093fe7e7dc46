import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { instruct, startTestApi } from '../../harness.ts'
import { anyRefund, createRefund, payees, readRefund, updateCall } from '../../refunds.ts'
import { eventsOf, eventTypesOf, succeededIntent } from '../../steps.ts'
import { strangeIds } from '../strange-ids.ts'

const api = await startTestApi()
afterAll(() => api.stop())

const update = (id: string, form: string, key?: string) =>
  api.call(updateCall(id, form, key === undefined ? {} : { key }))

describe('200', () => {
  test('metadata is merged key by key, an empty value removes its key, and an event is written [§6.1]', async () => {
    const refund = await anyRefund(api, '&metadata[a]=1&metadata[b]=2')
    const answer = await update(refund.id, 'metadata[a]=&metadata[c]=3')
    const changed = { ...refund, metadata: { b: '2', c: '3' } }
    expect({ status: answer.status, body: answer.body }).toEqual({ status: 200, body: changed })
    expect(answer).toHaveRequestId()
    expect((await readRefund(api, refund.id)).body).toEqual(changed)
    const events = await eventsOf(api, refund.id)
    expect(events.map(({ type, data }) => [type, data.object])).toEqual([
      ['charge.refunded', refund],
      ['charge.refund.updated', changed],
    ])
  })

  test.each([
    ['nothing at all', ''],
    ['what is so already', 'metadata[a]=1'],
    ['the removal of what is not there', 'metadata[z]='],
  ])('%s changes nothing, writes no event, and is replayed', async (_, form) => {
    const refund = await anyRefund(api, '&metadata[a]=1')
    const key = randomUUID()
    const first = await update(refund.id, form, key)
    expect({ status: first.status, body: first.body }).toEqual({ status: 200, body: refund })
    expect(await update(refund.id, form, key)).toReplay(first)
    expect(await eventTypesOf(api, refund.id)).toEqual(['charge.refunded'])
  })

  test('a failed refund can be updated too', async () => {
    await api.mock.control.updateSettings({ mtn: { refusalsAt: 'submit' } })
    const { id } = await createRefund(api, (await succeededIntent(api)).id, '', 'refusedAtSubmit')
    for (let look = 0; look < 3; look += 1) await instruct(api, 120_000)
    expect((await update(id, 'metadata[seen]=yes')).body).toMatchObject({
      status: 'failed',
      failure_reason: 'payee_refused',
      metadata: { seen: 'yes' },
    })
    await api.mock.control.updateSettings({ mtn: { refusalsAt: 'status' } })
  })

  test('a refund that its rail has not got yet is still instructed', async () => {
    const intent = await succeededIntent(api)
    await api.wire.cut()
    const { id } = await createRefund(api, intent.id)
    await update(id, 'metadata[a]=1')
    await api.wire.mend()
    expect(await instruct(api)).toMatchObject({ moved: 1 })
    expect((await readRefund(api, id)).body).toMatchObject({ status: 'pending', metadata: { a: '1' } })
    const [transfer] = await api.mock.control.listTransfers({ limit: 1 })
    expect(transfer).toMatchObject({ msisdn: payees.takes })
  })

  test('ten concurrent updates are ten changes, each with an event', async () => {
    const { id } = await anyRefund(api)
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, n) => update(id, `metadata[k${n}]=${n}`)),
    )
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
    expect(Object.keys((await readRefund(api, id)).body.metadata)).toHaveLength(10)
    expect(await eventTypesOf(api, id)).toHaveLength(11)
  })

  test('fifty with one key are one change, and one answer', async () => {
    const { id } = await anyRefund(api)
    const key = randomUUID()
    const answers = await Promise.all(Array.from({ length: 50 }, () => update(id, 'metadata[a]=1', key)))
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1)
    expect(await eventTypesOf(api, id)).toEqual(['charge.refunded', 'charge.refund.updated'])
  })
})

describe('400', () => {
  let id: string
  beforeAll(async () => {
    const refund = await anyRefund(api, '&metadata[a]=1')
    id = refund.id
  })
  const many = (count: number) => Array.from({ length: count }, (_, n) => `metadata[n${n}]=1`).join('&')

  test.each([
    ['amount=1', 'amount'],
    ['reason=duplicate', 'reason'],
    ['expand[]=charge', 'expand'],
    ['expand=', 'expand'],
    ['status=failed&metadata[a]=2', 'status'],
    ['metadata[a]=2&foo=1', 'foo'],
    ['__proto__[metadata]=1', '__proto__'],
    ['metadata=x', 'metadata'],
    ['metadata[a][b]=1', 'metadata[a]'],
    [`metadata[a]=${'x'.repeat(501)}`, 'metadata[a]'],
    [many(51), 'metadata'],
    [many(50), 'metadata'],
  ])('%s is refused by name, and changes nothing [§4.2]', async (form, param) => {
    expect(await update(id, form)).toBeRefusal('invalid_request', param)
    expect((await readRefund(api, id)).body.metadata).toEqual({ a: '1' })
    expect(await eventTypesOf(api, id)).toEqual(['charge.refunded'])
  })
})

test('an empty value in place of the map removes all keys', async () => {
  const { id } = await anyRefund(api)
  await update(id, 'metadata[a]=1&metadata[b]=2')
  expect((await update(id, 'metadata=')).body.metadata).toEqual({})
})

describe('404', () => {
  test('a foreign, an unknown and an ill-formed id have the same answer, byte for byte', async () => {
    const refund = await anyRefund(api)
    const foreign = await api.call(updateCall(refund.id, 'metadata[a]=1', { merchant: 'globex' }))
    expect(foreign).toBeRefusal('resource_missing')
    for (const strange of strangeIds(refund.id)) {
      const answer = await update(strange, 'metadata[a]=1')
      expect([strange, answer.text]).toEqual([strange, foreign.text])
    }
    expect((await readRefund(api, refund.id)).body).toEqual(refund)
  })
})
