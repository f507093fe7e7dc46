import type { Customer } from '@merchant-payments/contract'
import { expect } from 'vitest'
import type { Extra, Replica, TestAnswer, TestCall } from './harness.ts'

export const createCustomerCall = (form: string, extra: Extra = {}): TestCall => ({
  path: '/v1/customers',
  form,
  ...extra,
})

export const updateCustomerCall = (id: string, form: string, extra: Extra = {}): TestCall => ({
  method: 'POST',
  path: `/v1/customers/${id}`,
  form,
  ...extra,
})

export const deleteCustomerCall = (id: string, extra: Extra = {}): TestCall => ({
  method: 'DELETE',
  path: `/v1/customers/${id}`,
  ...extra,
})

/** A customer with every identifier. */
export const wholeForm = [
  'name=Awa+Ngo',
  'email=awa%40shop.example',
  'phone=%2B237+6+70+00+00+01',
  'address[line1]=Rue+1',
  'address[line2]=Porte+2',
  'address[city]=Douala',
  'address[state]=Littoral',
  'address[postal_code]=BP+1',
  'address[country]=cm',
  'address[latitude_microdeg]=4050000',
  'address[longitude_microdeg]=-9700000',
  'metadata[tier]=gold',
].join('&')

export const wholeAddress = {
  line1: 'Rue 1',
  line2: 'Porte 2',
  city: 'Douala',
  state: 'Littoral',
  postal_code: 'BP 1',
  country: 'CM',
  latitude_microdeg: 4_050_000,
  longitude_microdeg: -9_700_000,
}

export async function createCustomer(api: Replica, form = 'name=Awa', extra: Extra = {}): Promise<Customer> {
  const answer = await api.call(createCustomerCall(form, extra))
  expect(answer).toMatchObject({ status: 200 })
  return answer.body
}

export const readCustomer = (api: Replica, id: string): Promise<TestAnswer> =>
  api.call({ path: `/v1/customers/${id}` })
