import type { Form } from './form.ts'
import type { Charge, Customer, Refund } from './objects.ts'
import type { Books, Shop } from './state.ts'
import { bad, type Json, Refused } from './verdict.ts'

/** A request of one merchant after authentication and the check of its key. */
export interface Call {
  readonly books: Books
  readonly shop: Shop
  /** The id in the path; empty if there is none. */
  readonly id: string
  readonly form: Form
  readonly nowMs: number
  /** State from an earlier execution of the same request. */
  readonly linked: Charge | Refund | undefined
  /** Links the state of this execution to its key. */
  readonly begin: (begun: Charge | Refund) => void
  /** Whether the rail's gateway refuses the request unread. */
  readonly throttled: boolean
}

/** An operation. Returns the body of its success. Throws `Refused`, without changes unless stated. */
export type Rule = (call: Call) => Json

/** Spec 7.2: an unknown id of the path, and another merchant's, are the same 404. */
export function own<T extends { readonly id: string }>(among: readonly T[], id: string): T {
  const found = among.find((one) => one.id === id)
  if (found === undefined) throw new Refused('resource_missing')
  return found
}

/** Spec 4.3.5, of every id in a body: an unknown one and another merchant's are the same 400. */
export function named<T extends { readonly id: string }>(among: readonly T[], id: string, param: string): T {
  const found = among.find((one) => one.id === id)
  if (found === undefined) throw bad(param)
  return found
}

/** The customer that a request names: spec 3.2 refuses an erased one. */
export function namedCustomer({ shop }: Call, id: string): Customer {
  const customer = named(shop.customers, id, 'customer')
  if (customer.erasedMs !== null) throw new Refused('customer_erased', 'customer')
  return customer
}

/** Spec 4.3.6: forward, never backward. */
export function use(customer: Customer, nowMs: number): void {
  customer.usedMs = Math.max(customer.usedMs, nowMs)
}

export const useById = ({ shop, nowMs }: Pick<Call, 'shop' | 'nowMs'>, id: string | null): void => {
  const customer = shop.customers.find((one) => one.id === id)
  if (customer !== undefined) use(customer, nowMs)
}
