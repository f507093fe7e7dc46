import type { Customer, CustomerCreateParams, CustomerUpdateParams, DeletedCustomer } from './customer.ts'
import { type Listing, listing, type ListParams } from './list.ts'
import { pathOf, type ReadOptions, type RequestOptions } from './request.ts'
import type { Result, Send } from './send.ts'

/**
 * The people who pay a merchant.
 *
 * @example
 * ```ts
 * const readOnly: Pick<Customers, 'list' | 'retrieve'> = payments.customers
 * ```
 */
export interface Customers {
  /**
   * Creates a customer. Two calls with one phone make two customers: the idempotency key alone guards against a second.
   * Fails with an {@link InvalidRequestError} without any of name, email and phone, and for a phone that is none
   * (spec 2.2).
   *
   * @example
   * ```ts
   * const customer = await payments.customers.create(
   *   { name: 'Awa Ngo', phone: '+237 6 70 00 00 01' },
   *   { idempotencyKey: `signup-${user.id}` },
   * )
   * ```
   */
  create(params: CustomerCreateParams, options?: RequestOptions): Promise<Result<Customer>>

  /**
   * All customers of the merchant, newest first, erased ones included. There is no filter.
   *
   * @example
   * ```ts
   * for await (const customer of payments.customers.list({ limit: 100 })) console.log(customer.id, customer.deleted)
   * ```
   */
  list(params?: ListParams, options?: ReadOptions): Listing<Customer>

  /**
   * Reads a customer. An erased one answers with `deleted: true`; one that was removed is a {@link NotFoundError}.
   *
   * @example
   * ```ts
   * const { phone } = await payments.customers.retrieve('cus_0190b2c4e8f97d3ab6c51e2f40718293')
   * ```
   */
  retrieve(id: string, options?: ReadOptions): Promise<Result<Customer>>

  /**
   * Changes what is given, and nothing else. A {@link ConflictError} means that the customer was erased; clearing the last
   * of name, email and phone is an {@link InvalidRequestError} (spec 4.4).
   *
   * @example
   * ```ts
   * await payments.customers.update(customer.id, { email: null, address: { city: 'Kribi' } })
   * ```
   */
  update(id: string, params?: CustomerUpdateParams, options?: RequestOptions): Promise<Result<Customer>>

  /**
   * Erases a customer, for good. One that a payment intent, checkout session or invoice names is kept without identifiers
   * and reads `deleted: true`; any other is removed. To delete a removed one again, as a retry after a lost answer does, is
   * a {@link NotFoundError} (spec 3.2).
   *
   * @example
   * ```ts
   * const { deleted } = await payments.customers.del(customer.id)
   * ```
   */
  del(id: string, options?: ReadOptions): Promise<Result<DeletedCustomer>>
}

const collection = '/v1/customers'

export const createCustomers = (send: Send): Customers => ({
  create: (params, options) => send({ method: 'POST', path: collection, params }, options),
  list: (params, options) => listing(send, collection, params, options),
  retrieve: async (id, options) => send({ method: 'GET', path: pathOf(collection, id) }, options),
  update: async (id, params, options) =>
    send({ method: 'POST', path: pathOf(collection, id), params }, options),
  del: async (id, options) => send({ method: 'DELETE', path: pathOf(collection, id) }, options),
})
