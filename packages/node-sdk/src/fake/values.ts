import type { Currency, Customer } from '../wire.ts'
import { type Form, textOf } from './parse-form.ts'
import { Refusal, type Store } from './store.ts'

/** Spec 8: 1 to 99 999 999. */
export const AMOUNT_MAX = 99_999_999

/** Ten digits last until the year 2286. */
export const SECONDS_MAX = 9_999_999_999

/** The rails of the fake. */
export const PUSH_RAIL = 'mtn_momo_cm'
export const REDIRECT_RAIL = 'orange_money_cm'

/** The currency in which all rails settle, as those of the specification do. */
export const SETTLEMENT_CURRENCY: Currency = 'XAF'

export const invalid = (param: string, message: string): Refusal =>
  new Refusal(400, 'invalid_request', message, param)

/** Spec 4.3.3: refused by name, before any other fault. */
export function refuseFields(form: Form, others: readonly string[] = []): void {
  const names = [...others, 'application_fee_amount', 'transfer_data', 'on_behalf_of']
  const sent = names.find((name) => form[name] !== undefined)
  if (sent !== undefined) throw invalid(sent, 'is not supported')
  if ((form['capture_method'] ?? 'automatic') !== 'automatic') {
    throw invalid('capture_method', 'only automatic capture is supported')
  }
}

/** A text; null if it is empty or absent. */
export function textIn(form: Form, name: string, param = name): string | null {
  if (typeof form[name] === 'object') throw invalid(param, 'must be a string')
  return textOf(form[name])
}

/** A whole number within its limits; undefined if it was not sent. */
export function countOf(
  form: Form,
  name: string,
  min: number,
  max: number,
  param = name,
): number | undefined {
  const text = form[name]
  if (text === undefined) return undefined
  const count = typeof text === 'string' && /^(?:0|-?[1-9]\d{0,9})$/.test(text) ? Number(text) : Number.NaN
  if (!(count >= min && count <= max)) throw invalid(param, `must be an integer from ${min} to ${max}`)
  return count
}

/** The key-value pairs of `metadata`, merged into earlier ones: an empty value removes its key. */
export function mergeMetadata(
  value: string | Form | undefined,
  before: Readonly<Record<string, string>>,
): Record<string, string> {
  if (value === '') return {}
  if (typeof value === 'string') throw invalid('metadata', 'must be a map')
  const nested = Object.entries(value ?? {}).find(([, text]) => typeof text !== 'string')
  if (nested !== undefined) throw invalid(`metadata[${nested[0]}]`, 'a value must be a string')
  const merged = { ...before, ...(value as Record<string, string> | undefined) }
  return Object.fromEntries(Object.entries(merged).filter(([, text]) => text !== ''))
}

export function amountOf(form: Form): number {
  const amount = countOf(form, 'amount', 1, AMOUNT_MAX)
  if (amount === undefined) throw invalid('amount', 'is required')
  return amount
}

/** In upper or lower case; undefined if it was not sent. */
export function currencyOf(form: Form): Currency | undefined {
  if (form['currency'] === undefined) return undefined
  const currency = textIn(form, 'currency')?.toUpperCase()
  if (currency !== 'XAF' && currency !== 'EUR') throw invalid('currency', 'must be XAF or EUR')
  return currency
}

export function requiredCurrencyOf(form: Form): Currency {
  const currency = currencyOf(form)
  if (currency === undefined) throw invalid('currency', 'is required')
  return currency
}

/** Rail codes without repetitions; undefined if none were sent. */
export function railsOf(form: Form): string[] | undefined {
  const sent = form['payment_method_types']
  if (sent === undefined) return undefined
  if (typeof sent === 'string') throw invalid('payment_method_types', 'is required and must be a list')
  const rails = Object.keys(sent).map((key) => {
    const rail = textIn(sent, key, `payment_method_types[${key}]`)
    if (rail === null) throw invalid(`payment_method_types[${key}]`, 'must not be empty')
    return rail
  })
  return [...new Set(rails)]
}

/** The customer that a request names (spec 4.3.5): an unknown one is a 400, an erased one a 409. */
export const namedCustomer = (store: Store, id: string): Customer => customerOf(store, id, 'customer')

/** The customer of what a request names. The answer names no parameter if it is erased. */
export function customerOf(store: Store, id: string, param?: 'customer'): Customer {
  const customer = store.customers.get(id)
  if (customer === undefined) throw invalid('customer', 'is no customer')
  if (customer.deleted === true) throw new Refusal(409, 'customer_erased', 'The customer is erased.', param)
  return customer
}

/** The number of the account that a request names on a rail: required where a person is prompted or paid. */
export function requireMsisdn(name: string, rail: string, account: string | Form | undefined): void {
  if (typeof account !== 'object' || textOf(account['msisdn']) === null) {
    throw invalid(`${name}[${rail}][msisdn]`, 'is required')
  }
}

/** The form of a number in which the service stores it: digits with their country. */
export function phoneOf(text: string): string {
  const digits = text.replace(/^tel:/, '').replaceAll(/[ .\-/()]/g, '')
  const international = /^(?:\+|00)(\d+)$/.exec(digits)?.[1]
  return international ?? (digits.length === 9 ? `237${digits}` : digits)
}
