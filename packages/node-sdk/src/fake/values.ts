import type { Currency, Customer } from '../wire.ts'
import { type Form, textOf, valuesOf } from './parse-form.ts'
import { Refusal, type Store } from './store.ts'

/** Spec 8: 1 to 99 999 999. */
export const AMOUNT_MAX = 99_999_999

/** The rails of the fake. They settle in XAF, as those of the specification do. */
export const PUSH_RAIL = 'mtn_momo_cm'
export const REDIRECT_RAIL = 'orange_money_cm'

export const invalid = (param: string, message: string): Refusal =>
  new Refusal(400, 'invalid_request', message, param)

/** A whole number within its limits; undefined if it was not sent. */
export function countOf(form: Form, name: string, min: number, max: number): number | undefined {
  if (form[name] === undefined) return undefined
  const count = Number(form[name])
  if (!Number.isInteger(count) || count < min || count > max) {
    throw invalid(name, `must be an integer from ${min} to ${max}`)
  }
  return count
}

export function amountOf(form: Form): number {
  const amount = countOf(form, 'amount', 1, AMOUNT_MAX)
  if (amount === undefined) throw invalid('amount', 'is required')
  return amount
}

/** In upper or lower case; undefined if it was not sent. */
export function currencyOf(form: Form): Currency | undefined {
  if (form['currency'] === undefined) return undefined
  const currency = textOf(form['currency'])?.toUpperCase()
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
  if (form['payment_method_types'] === '') {
    throw invalid('payment_method_types', 'is required and must be a list')
  }
  const rails = valuesOf(form['payment_method_types'])
  return rails.length === 0 ? undefined : [...new Set(rails)]
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

/** The form of a number in which the service stores it: digits with their country. */
export function phoneOf(text: string): string {
  const digits = text.replace(/^tel:/, '').replaceAll(/[ .\-/()]/g, '')
  const international = /^(?:\+|00)(\d+)$/.exec(digits)?.[1]
  return international ?? (digits.length === 9 ? `237${digits}` : digits)
}
