import { dumpDatabase } from '@merchant-payments/testing/dump'
import { afterAll, describe, expect, test } from 'vitest'
import { createCustomer, readCustomer, wholeForm } from '../customer-steps.ts'
import { createIntent, eventTypesOf } from '../steps.ts'
import { handleOf, startStaffApi } from './staff.ts'

const api = await startStaffApi()
const ada = await api.signInAs('ada')
afterAll(() => api.stop())

const REDACTED = '[redacted]'

describe('dash.customers.list', () => {
  test('200: customers of every merchant, found by a number in any spelling', async () => {
    const awa = await createCustomer(api, wholeForm)
    const other = await createCustomer(api, 'phone=670000001', { merchant: 'globex' })
    await createCustomer(api, 'name=Bea')
    expect((await ada.get('/customers')).body.data).toHaveLength(3)
    const found = await ada.get(`/customers?payer=${await handleOf(ada, '+237 6 70 00 00 01')}`)
    expect(found.body.data).toEqual([
      expect.objectContaining({ id: other.id, merchant: 'globex' }),
      { ...awa, merchant: 'acme', last_used_at: expect.any(Number), erased_at: null },
    ])
    expect(
      (await ada.get(`/customers?payer=${await handleOf(ada, '670000001')}&merchant=acme`)).body.data,
    ).toHaveLength(1)
  })
})

describe('dash.customers.retrieve', () => {
  test('200: as the merchant sees it, with its merchant', async () => {
    const customer = await createCustomer(api, 'name=Cid', { merchant: 'globex' })
    const { status, body } = await ada.get(`/customers/${customer.id}`)
    expect({ status, body }).toEqual({
      status: 200,
      body: { ...customer, merchant: 'globex', last_used_at: expect.any(Number), erased_at: null },
    })
  })
})

describe('dash.customers.erase', () => {
  test('200: a referenced customer is anonymised, and no personal data remains', async () => {
    const { id } = await createCustomer(api, 'name=Fatou+Zzyzx&email=zzyzx%40shop.example&phone=699887766')
    await createIntent(api, `&customer=${id}`)
    await ada.get(`/customers/${id}`)
    const { status, body } = await ada.post(`/customers/${id}/erase`, {
      reason: 'Ticket 7, asked for by themselves.',
    })
    expect(status).toBe(200)
    expect(body).toMatchObject({
      action: 'customer.erase',
      target: id,
      merchant: 'acme',
      before: { state: 'live' },
      after: { state: 'erased' },
    })
    const { body: shown } = await ada.get(`/customers/${id}`)
    expect(shown).toMatchObject({
      deleted: true,
      name: REDACTED,
      phone: REDACTED,
      erased_at: expect.any(Number),
    })
    expect(await eventTypesOf(api, id)).toContain('customer.deleted')
    expect((await ada.get(`/customers?payer=${await handleOf(ada, '699887766')}`)).body.data).toEqual([])
    const dump = [...(await dumpDatabase(api.databaseUrl)).values()].flat().join('\n')
    expect(dump.match(/zzyzx|699887766/i)).toBeNull()
  })

  test('200: an unreferenced customer is removed, and is a 404 afterwards', async () => {
    const { id } = await createCustomer(api, 'name=Gone')
    const { body } = await ada.post(`/customers/${id}/erase`, { reason: 'Ticket 8.' })
    expect(body).toMatchObject({ before: { state: 'live' }, after: { state: 'removed' } })
    expect((await readCustomer(api, id)).status).toBe(404)
    expect(await ada.post(`/customers/${id}/erase`, { reason: 'Again.' })).toBeRefusal('resource_missing')
  })
})
