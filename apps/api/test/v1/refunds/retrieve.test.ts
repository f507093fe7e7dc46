import { afterAll, describe, expect, test } from 'vitest'
import { startTestApi } from '../../harness.ts'
import { anyRefund, readRefund } from '../../refunds.ts'
import { strangeIds } from '../strange-ids.ts'

const api = await startTestApi()
afterAll(() => api.stop())

describe('200', () => {
  test('the refund, and reading it changes nothing', async () => {
    const refund = await anyRefund(api, '&metadata[order]=42')
    for (let n = 0; n < 2; n += 1) {
      const answer = await readRefund(api, refund.id)
      expect({ status: answer.status, body: answer.body }).toEqual({ status: 200, body: refund })
      expect(answer).toHaveRequestId()
    }
    const options = await api.call({ path: `/v1/refunds/${refund.id}?expand[]=payment_intent` })
    expect(options.body).toEqual(refund)
  })
})

describe('404', () => {
  test('a foreign, an unknown and an ill-formed id have the same answer, byte for byte', async () => {
    const { id } = await anyRefund(api)
    const foreign = await api.call({ path: `/v1/refunds/${id}`, merchant: 'globex' })
    expect(foreign).toBeRefusal('resource_missing')
    for (const strange of strangeIds(id)) {
      const answer = await readRefund(api, strange)
      expect([strange, answer.text]).toEqual([strange, foreign.text])
      expect(answer).toBeRefusal('resource_missing')
    }
  })
})
