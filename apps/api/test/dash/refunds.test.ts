import { afterAll, describe, expect, test } from 'vitest'
import { instruct, PUSH_RAIL } from '../harness.ts'
import { anyRefund, createRefund, payees } from '../refunds.ts'
import { succeededIntent } from '../steps.ts'
import { startStaffApi } from './staff.ts'

const api = await startStaffApi()
const vera = await api.signInAs('vera')
afterAll(() => api.stop())

const ids = async (query: string) =>
  (await vera.get(`/refunds?${query}`)).body.data.map(({ id }: { id: string }) => id)

describe('dash.refunds.list', () => {
  test('200: with the instruction and the rail’s answer, and without the paid number', async () => {
    const refund = await anyRefund(api)
    const answer = await vera.get('/refunds')
    expect(answer.body.data).toEqual([
      {
        ...refund,
        merchant: 'acme',
        customer: null,
        reference: expect.any(String),
        instruction: 'accepted',
        tries: 1,
        next_look_at: expect.any(Number),
        rested_at: null,
        rail_code: null,
        rail_message: null,
        confirmed: null,
        request_id: expect.stringMatching(/^req_/),
      },
    ])
    expect(answer.text).not.toContain(payees.takes)
  })

  test('200: each filter shows only matching refunds', async () => {
    const intent = await succeededIntent(api)
    await api.mock.control.updateSettings({ mtn: { refusalsAt: 'submit' } })
    const refused = await createRefund(api, intent.id, '', 'refusedAtSubmit')
    for (let look = 0; look < 3; look += 1) await instruct(api, 120_000)
    expect(await ids('status=failed')).toEqual([refused.id])
    expect(await ids('instruction=refused')).toEqual([refused.id])
    expect(await ids(`payment_intent=${intent.id}`)).toEqual([refused.id])
    expect(await ids(`rail=${PUSH_RAIL}`)).toHaveLength(2)
    expect(await ids('customer=cus_0193f2d5e0a07c3e9b1a2b3c4d5e6f70')).toEqual([])
    expect(await ids('merchant=globex')).toEqual([])
  })

  test('200: the queue has what the rail has neither accepted nor refused, as the overview counts it', async () => {
    const queue = async () => [
      await ids('queue=waiting'),
      (await vera.get('/overview')).body.refunds_to_instruct.count,
    ]
    expect(await queue()).toEqual([[], 0])
    const { id: intent } = await succeededIntent(api)
    const omar = await api.signInAs('omar')
    const { body } = await omar.post(`/payment_intents/${intent}/refund`, { reason: 'A torn bag.' })
    expect(await queue()).toEqual([[body.after.refund], 1])
    expect(await ids('queue=waiting&merchant=globex')).toEqual([])
    expect(await ids('queue=resting')).toEqual([])
    await instruct(api)
    expect(await queue()).toEqual([[], 0])
  })

  test('400: an unknown status', async () => {
    expect(await vera.get('/refunds?status=succeeded')).toBeRefusal('invalid_request', 'status')
    expect(await vera.get('/refunds?payment_intent=x')).toBeRefusal('invalid_request', 'payment_intent')
  })
})
