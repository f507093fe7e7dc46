import type { Address, Customer, DeletedCustomer, PaymentIntent } from '../wire.ts'
import type { Form } from './parse-form.ts'
import { get, record, Refusal, type Store } from './store.ts'
import { countOf, invalid, mergeMetadata, phoneOf, textIn } from './values.ts'

/** Spec 8. */
const LATITUDE_MICRODEG_MAX = 90_000_000
const LONGITUDE_MICRODEG_MAX = 180_000_000

const REDACTED = '[redacted]'

/** What an erasure leaves of a customer, and of each copy in an event (spec 3.2). */
const unknown: Partial<Customer> = {
  name: REDACTED,
  email: REDACTED,
  phone: REDACTED,
  address: {
    line1: REDACTED,
    line2: REDACTED,
    city: REDACTED,
    state: REDACTED,
    postal_code: REDACTED,
    country: REDACTED,
    latitude_microdeg: null,
    longitude_microdeg: null,
  },
}

/** The customer after the change. An absent field stays, and an empty one is cleared (spec 4.4). */
function changed(customer: Customer, form: Form): Customer {
  const after = { ...customer, metadata: mergeMetadata(form['metadata'], customer.metadata) }
  for (const name of ['name', 'email'] as const) {
    if (form[name] !== undefined) after[name] = textIn(form, name)
  }
  const phone = textIn(form, 'phone')
  if (form['phone'] !== undefined) after.phone = phone === null ? null : phoneOf(phone)
  const address = addressOf(form['address'])
  if (address !== undefined) after.address = address
  if (after.name === null && after.email === null && after.phone === null) {
    const cleared = (['phone', 'email', 'name'] as const).find(
      (name) => form[name] === '' && customer[name] !== null,
    )
    throw invalid(cleared ?? 'phone', 'or email or name is required')
  }
  return after
}

/**
 * A new address replaces the whole old one. An address with only empty parts counts as none. Unknown parts are ignored, so
 * one with no other parts changes nothing: undefined.
 */
function addressOf(sent: string | Form | undefined): Address | null | undefined {
  if (sent === undefined) return undefined
  if (sent === '') return null
  if (typeof sent === 'string') throw invalid('address', 'must be a map')
  const text = (name: string) => textIn(sent, name, `address[${name}]`)
  const coordinate = (name: string, max: number) =>
    sent[name] === '' ? null : (countOf(sent, name, -max, max, `address[${name}]`) ?? null)
  const country = text('country')
  if (country !== null && !/^[A-Za-z]{2}$/.test(country)) {
    throw invalid('address[country]', 'must be a country code of two letters')
  }
  const address: Address = {
    line1: text('line1'),
    line2: text('line2'),
    city: text('city'),
    state: text('state'),
    postal_code: text('postal_code'),
    country: country?.toUpperCase() ?? null,
    latitude_microdeg: coordinate('latitude_microdeg', LATITUDE_MICRODEG_MAX),
    longitude_microdeg: coordinate('longitude_microdeg', LONGITUDE_MICRODEG_MAX),
  }
  const missing = (['latitude_microdeg', 'longitude_microdeg'] as const).filter(
    (name) => address[name] === null,
  )
  if (missing.length === 1) {
    throw invalid(`address[${missing[0]}]`, 'is required together with the other coordinate')
  }
  if (!Object.keys(sent).some((name) => Object.hasOwn(address, name))) return undefined
  return Object.values(address).every((part) => part === null) ? null : address
}

export function createCustomer(store: Store, form: Form): Customer {
  const nobody: Customer = {
    id: '',
    object: 'customer',
    name: null,
    email: null,
    phone: null,
    address: null,
    metadata: {},
    created: store.nowSec(),
    livemode: false,
  }
  const customer = { ...changed(nobody, form), id: store.mint('cus') }
  store.customers.set(customer.id, customer)
  record(store, 'customer.created', customer)
  return customer
}

/** An update that changes nothing writes no event. */
export function updateCustomer(store: Store, id: string, form: Form): Customer {
  const customer = get(store.customers, id, 'customer')
  if (customer.deleted === true) throw new Refusal(409, 'customer_erased', 'The customer is erased.')
  const after = changed(customer, form)
  if (JSON.stringify(after) === JSON.stringify(customer)) return customer
  store.customers.set(id, after)
  record(store, 'customer.updated', after)
  return after
}

/** A customer to whom something refers stays without identifiers. Any other goes. */
export function deleteCustomer(store: Store, id: string): DeletedCustomer {
  const customer = get(store.customers, id, 'customer')
  if (customer.deleted !== true) {
    erase(store, id)
    Object.assign(customer, unknown, { deleted: true })
    record(store, 'customer.deleted', customer)
    if (!isNamed(store, id)) store.customers.delete(id)
  }
  return { id, object: 'customer', deleted: true }
}

/** Takes the identifiers from earlier events and answers, and the rail's words from the customer's payments. */
function erase(store: Store, id: string): void {
  const intents = [...store.intents.values()].filter(({ customer }) => customer === id)
  const copies = [
    ...[...store.events.values()].map(({ data }) => data.object),
    ...[...store.answers.values()].map(({ body }) => body),
  ]
  const snapshots = copies as (Customer | PaymentIntent)[]
  for (const one of snapshots) {
    if (one.object === 'customer' && one.id === id && 'name' in one) Object.assign(one, unknown)
  }
  const ids = new Set(intents.map((intent) => intent.id))
  for (const one of [...intents, ...snapshots]) {
    if (one.object !== 'payment_intent' || !ids.has(one.id) || one.last_payment_error === null) continue
    Object.assign(one.last_payment_error, { decline_code: REDACTED, message: REDACTED })
  }
}

const isNamed = ({ intents, sessions, invoices }: Store, id: string): boolean =>
  [...intents.values(), ...sessions.values(), ...invoices.values()].some(({ customer }) => customer === id)
