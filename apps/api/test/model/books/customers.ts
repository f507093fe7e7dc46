import { own, type Call, type Rule, use } from './call.ts'
import { erase } from './erasure.ts'
import { canonicalPhone, type Form, isSame, merged } from './form.ts'
import type { Address, Customer, Facts } from './objects.ts'
import { page } from './pages.ts'
import { renderCustomer } from './render.ts'
import { mint, tell } from './state.ts'
import { bad, Refused } from './verdict.ts'

const nobody: Facts = { name: null, email: null, phone: null, address: null, metadata: {} }

export const createCustomer: Rule = ({ books, shop, form, nowMs }) => {
  const facts = changed(nobody, form)
  const customer = { id: mint(books, 'cus'), madeMs: nowMs, facts, erasedMs: null, usedMs: nowMs }
  shop.customers.push(customer)
  tell(books, shop, 'customer.created', renderCustomer(customer), nowMs)
  return renderCustomer(customer)
}

export const updateCustomer: Rule = ({ books, shop, id, form, nowMs }) => {
  // The form's own faults come before anything of the customer is looked at.
  const read = () => changed(nobody, form, 'shape')
  read()
  const customer = own(shop.customers, id)
  if (customer.erasedMs !== null) throw new Refused('customer_erased')
  const facts = changed(customer.facts, form)
  if (isSame(facts, customer.facts)) return renderCustomer(customer)
  customer.facts = facts
  use(customer, nowMs)
  tell(books, shop, 'customer.updated', renderCustomer(customer), nowMs)
  return renderCustomer(customer)
}

export const retrieveCustomer: Rule = ({ shop, id }) => renderCustomer(own(shop.customers, id))

export const listCustomers: Rule = (call) =>
  page(call, { url: '/v1/customers', kind: 'cus', rows: call.shop.customers, render: renderCustomer })

export const deleteCustomer: Rule = (call) => {
  const customer = own(call.shop.customers, call.id)
  if (customer.erasedMs === null) remove(call, customer)
  return { id: customer.id, object: 'customer', deleted: true }
}

/** Spec 3.2: a customer whom something refers to stays without identifiers, any other goes. */
export function remove({ books, shop, nowMs }: Pick<Call, 'books' | 'shop' | 'nowMs'>, customer: Customer) {
  const isReferred = [...shop.intents, ...shop.sessions, ...shop.invoices].some(
    (one) => one.customer === customer.id,
  )
  erase(shop, customer, nowMs)
  tell(books, shop, 'customer.deleted', renderCustomer(customer), nowMs)
  if (!isReferred) shop.customers.splice(shop.customers.indexOf(customer), 1)
}

/** Spec 4.4: absent leaves, a value sets, an empty string clears. */
function changed(before: Facts, form: Form, only?: 'shape'): Facts {
  const address = addressOf(form)
  const metadata = form.metadata()
  if (only === 'shape') return before
  const sentPhone = form.clearable('phone')
  const phone = typeof sentPhone === 'string' ? canonicalPhone(sentPhone, 'phone') : sentPhone
  const facts: Facts = {
    name: set(before.name, form.clearable('name')),
    email: set(before.email, form.clearable('email')),
    phone: set(before.phone, phone),
    address: set(before.address, address),
    metadata: merged(before.metadata, metadata),
  }
  if (facts.name === null && facts.email === null && facts.phone === null) {
    throw bad(['phone', 'email', 'name'].find((name) => form.text(name) === '') ?? 'phone')
  }
  return facts
}

const set = <T>(before: T | null, sent: T | null | undefined): T | null =>
  sent === undefined ? before : sent

/** Spec 2.2: eight components, replaced whole; of nothing but empty ones there is no address. */
function addressOf(form: Form): Address | null | undefined {
  const sent = form.map('address')
  if (sent === undefined) return form.text('address') === '' ? null : undefined
  const text = (name: string) => sent[name] || null
  const coordinate = (name: string, max: number) => {
    const value = text(name)
    if (value === null) return null
    if (!/^(?:0|-?[1-9]\d*)$/.test(value) || Math.abs(Number(value)) > max) throw bad(`address[${name}]`)
    return Number(value)
  }
  if (text('country') !== null && !/^[A-Za-z]{2}$/.test(sent['country'] ?? '')) throw bad('address[country]')
  const address: Address = {
    line1: text('line1'),
    line2: text('line2'),
    city: text('city'),
    state: text('state'),
    postal_code: text('postal_code'),
    country: text('country')?.toUpperCase() ?? null,
    latitude_microdeg: coordinate('latitude_microdeg', 90_000_000),
    longitude_microdeg: coordinate('longitude_microdeg', 180_000_000),
  }
  const { latitude_microdeg: latitude, longitude_microdeg: longitude } = address
  if (latitude === null && longitude !== null) throw bad('address[latitude_microdeg]')
  if (latitude !== null && longitude === null) throw bad('address[longitude_microdeg]')
  return Object.values(address).every((component) => component === null) ? null : address
}
