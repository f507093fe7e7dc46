import { afterAll, expect, test } from 'vitest'
import { instruct, startTestApi } from './harness.ts'
import { createRefund, creditsOf, instructionOf, readRefund, refundCall, reservedOf } from './refunds.ts'
import { succeededIntent } from './steps.ts'

const api = await startTestApi()
afterAll(() => api.stop())

test('a refund refused with a 5xx that the rail pays later stays open, and no second one is sent', async () => {
  const refusal = JSON.stringify({ code: 'PAYEE_NOT_FOUND', message: 'Payee does not exist.' })
  const notYet = JSON.stringify({ code: 'RESOURCE_NOT_FOUND', message: 'Requested resource was not found.' })
  const { addFault } = api.mock.control
  await addFault({ operation: 'transfer', kind: 'http', when: 'after', status: 500, body: refusal })
  await addFault({ operation: 'transfer_status', kind: 'http', when: 'before', status: 404, body: notYet })
  const { id } = await succeededIntent(api)
  const refund = await createRefund(api, id)
  expect(await reservedOf(api, id)).toBe(5000)
  expect(await api.call(refundCall(id))).toMatchObject({ status: 400 })
  for (let look = 0; look < 3; look += 1) await instruct(api, 120_000)
  expect((await readRefund(api, refund.id)).body).toEqual(refund)
  expect(await instructionOf(api, refund.id)).toEqual({ instruction: 'accepted', number: null })
  expect(await creditsOf(api, refund.id)).toEqual(['5000'])
})
