import type { Address, Customer, DeletedCustomer } from '../wire.ts'
import { type Form, mergeMetadata, textOf } from './parse-form.ts'
import { get, record, Refusal, type Store } from './store.ts'

const noAddress: Address = {
  line1: null,
  line2: null,
  city: null,
  state: null,
  postal_code: null,
  country: null,
  latitude_microdeg: null,
  longitude_microdeg: null,
}

const REDACTED = '[redacted]'

function change(customer: Customer, form: Form): void {
  for (const name of ['name', 'email', 'phone'] as const) {
    if (form[name] !== undefined) customer[name] = textOf(form[name])
  }
  const { address } = form
  if (address === '') customer.address = null
  if (typeof address === 'object') {
    const changed = Object.entries(address).map(([name, value]) => [
      name,
      name.endsWith('_microdeg') ? Number(value) : textOf(value),
    ])
    customer.address = { ...noAddress, ...customer.address, ...Object.fromEntries(changed) }
  }
  customer.metadata = mergeMetadata(form['metadata'], customer.metadata)
}

export function createCustomer(store: Store, form: Form): Customer {
  const customer: Customer = {
    id: store.mint('cus'),
    object: 'customer',
    name: null,
    email: null,
    phone: null,
    address: null,
    metadata: {},
    created: store.nowSec(),
    livemode: false,
  }
  change(customer, form)
  store.customers.set(customer.id, customer)
  record(store, 'customer.created', customer)
  return customer
}

export function updateCustomer(store: Store, id: string, form: Form): Customer {
  const customer = get(store.customers, id, 'customer')
  if (customer.deleted === true) throw new Refusal(409, 'customer_erased', 'The customer is erased.')
  const before = JSON.stringify(customer)
  change(customer, form)
  if (JSON.stringify(customer) !== before) record(store, 'customer.updated', customer)
  return customer
}

/** Erases every identifier, as the service does for a customer with payments. A second call changes nothing. */
export function deleteCustomer(store: Store, id: string): DeletedCustomer {
  const customer = get(store.customers, id, 'customer')
  if (customer.deleted !== true) {
    const address = { ...noAddress }
    Object.assign(customer, { name: REDACTED, email: REDACTED, phone: REDACTED, address, deleted: true })
    record(store, 'customer.deleted', customer)
  }
  return { id, object: 'customer', deleted: true }
}
