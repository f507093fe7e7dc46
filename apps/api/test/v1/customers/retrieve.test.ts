import { afterAll, describe, expect, test } from 'vitest'
import { createCustomer, readCustomer, wholeForm } from '../../customer-steps.ts'
import { startTestApi } from '../../harness.ts'
import { eraseCustomer, redactedIdentifiers } from '../../rows.ts'
import { strangeIds } from '../strange-ids.ts'

const api = await startTestApi()
afterAll(() => api.stop())

describe('200', () => {
  test('the customer is read as it was created, and reading changes nothing', async () => {
    const created = await createCustomer(api, wholeForm)
    const answers = [await readCustomer(api, created.id), await readCustomer(api, created.id)]
    for (const answer of answers) {
      expect({ status: answer.status, body: answer.body }).toEqual({ status: 200, body: created })
    }
  })

  test('an erased customer has its mark and its metadata, without its identifiers [§4.2]', async () => {
    const { id, created } = await createCustomer(api, 'name=Awa&metadata[tier]=gold')
    await eraseCustomer(api, id)
    const { body } = await readCustomer(api, id)
    expect(body).toEqual({
      id,
      object: 'customer',
      ...redactedIdentifiers,
      metadata: { tier: 'gold' },
      created,
      livemode: false,
      deleted: true,
    })
  })

  test('a query is ignored, because clients of the compatible API send options in it', async () => {
    const created = await createCustomer(api)
    const answer = await api.call({ path: `/v1/customers/${created.id}?expand[]=sources&email=x&a=%zz` })
    expect({ status: answer.status, body: answer.body }).toEqual({ status: 200, body: created })
  })
})

describe('404', () => {
  test('a foreign, an unknown and an ill-formed id have the same answer, byte for byte', async () => {
    const { id } = await createCustomer(api)
    const foreign = await api.call({ path: `/v1/customers/${id}`, merchant: 'globex' })
    expect(foreign).toBeRefusal('resource_missing')
    expect(foreign.text).not.toContain(id)
    for (const strange of strangeIds(id)) {
      const answer = await readCustomer(api, strange)
      expect([strange, answer.text]).toEqual([strange, foreign.text])
      expect(answer).toBeRefusal('resource_missing')
    }
  })
})
