// Generated from packages/contract by `npx pnpm@12 openapi`. Do not edit: change the declaration.
import type { Listing } from './list.ts'
import type { ReadOptions, RequestOptions } from './request.ts'
import type { PendingCall, Result } from './result.ts'
import type {
  AccountHolder,
  AccountHolderRetrieveParams,
  CheckoutSession,
  CheckoutSessionCreateParams,
  CheckoutSessionListParams,
  Customer,
  CustomerCreateParams,
  CustomerUpdateParams,
  DeletedCustomer,
  DeletedInvoice,
  DeletedInvoiceItem,
  Event,
  EventListParams,
  Invoice,
  InvoiceCreateParams,
  InvoiceItem,
  InvoiceItemCreateParams,
  InvoiceItemUpdateParams,
  InvoiceListParams,
  InvoiceUpdateParams,
  ListParams,
  PaymentIntent,
  PaymentIntentCancelParams,
  PaymentIntentConfirmParams,
  PaymentIntentCreateParams,
  Refund,
  RefundCreateParams,
  RefundListParams,
  RefundUpdateParams,
} from './wire.ts'

/**
 * Payments: create, confirm on a rail, read until settled.
 *
 * @example
 * ```ts
 * const readOnly: Pick<PaymentIntents, 'list' | 'retrieve'> = payments.paymentIntents
 * ```
 */
export interface PaymentIntents {
  /**
   * Create a payment that waits for a confirm.
   *
   * Creates an intent to collect an amount from a payer. It charges nothing yet: confirm the intent, or give
   * its `client_secret` to the payer’s device, which confirms it.
   *
   * Use one intent for each order: store its id with the order, and derive the Idempotency-Key from the
   * order. For 24 hours a retry then returns the same intent. No event is written.
   *
   * Rejects with a {@link ConflictError} (`customer_erased`).
   *
   * @example
   * ```ts
   * const answer = await payments.paymentIntents.create({
   *   amount: 5000,
   *   currency: 'XAF',
   *   payment_method_types: ['mtn_momo_cm'],
   *   metadata: { order: '42' },
   * })
   * ```
   */
  create(params: PaymentIntentCreateParams, options?: RequestOptions): PendingCall<Result<PaymentIntent>>

  /**
   * List payments, newest first.
   *
   * Pages through all payment intents of the merchant. There is no filter: an unknown parameter is a 400 that
   * names it.
   *
   * @example
   * ```ts
   * const answer = await payments.paymentIntents.list({ limit: 10 }).page()
   * ```
   */
  list(params?: ListParams, options?: ReadOptions): Listing<PaymentIntent>

  /**
   * Read the current state of a payment.
   *
   * Reads a payment intent. Only this answer tells whether it is paid, not the page to which the payer’s
   * browser was redirected.
   *
   * Use it to poll while a charge is open, and to read the `client_secret` again.
   *
   * @example
   * ```ts
   * const answer = await payments.paymentIntents.retrieve('pi_0190b2c4e8f97d3ab6c51e2f40718293')
   * ```
   */
  retrieve(id: string, options?: ReadOptions): PendingCall<Result<PaymentIntent>>

  /**
   * Stop waiting for a payment.
   *
   * Cancels an unpaid intent, with or without a live charge, and writes `payment_intent.canceled`. A canceled
   * intent cannot be confirmed.
   *
   * Money can still arrive: a cancel does not withdraw the request that the payer has. If the rail later
   * reports a charge as paid, the intent becomes `succeeded` and `payment_intent.succeeded` is written.
   *
   * A canceled intent does not show that its charge was refused. So do not cancel a confirmed intent to ask
   * for the money by another: first wait for the outcome of its last confirm and, after a refusal, half an
   * hour for a late success.
   *
   * Rejects with a {@link ConflictError} (`intent_canceled`, `charge_terminal`).
   *
   * @example
   * ```ts
   * const answer = await payments.paymentIntents.cancel('pi_0190b2c4e8f97d3ab6c51e2f40718293', { cancellation_reason: 'requested_by_customer' })
   * ```
   */
  cancel(id: string, params?: PaymentIntentCancelParams, options?: RequestOptions): PendingCall<Result<PaymentIntent>>

  /**
   * Charge the payer on a rail.
   *
   * Opens a charge on one rail. On a push rail the operator prompts the payer’s handset; on a redirect rail
   * the answer’s `next_action` has the page to which you send the payer.
   *
   * The answer is `processing` if the rail accepted the charge. The event `payment_intent.succeeded` or
   * `payment_intent.payment_failed` reports the outcome. If the rail declines at once, the answer is a 200
   * with `status` `requires_payment_method` and `last_payment_error` set.
   *
   * At most one charge of an intent is live. After a 409 `charge_in_progress`, read the intent instead of
   * confirming again. After a 502, send the same request with the same Idempotency-Key: it continues the same
   * charge and never opens a second one.
   *
   * Each attempt of the payer needs an Idempotency-Key of its own. Under the key of an attempt that was
   * declined, the stored answer `processing` comes again, and nothing is charged.
   *
   * Rejects with a {@link ConflictError} (`charge_in_progress`, `charge_terminal`, `intent_canceled`,
   * `too_many_attempts`, `customer_erased`, `invoice_paid`, `invoice_void`), a
   * {@link ProviderUnavailableError} (`provider_unavailable`).
   *
   * @example
   * ```ts
   * const answer = await payments.paymentIntents.confirm('pi_0190b2c4e8f97d3ab6c51e2f40718293', {
   *   payment_method_data: { mtn_momo_cm: { msisdn: '237670000001' } },
   * })
   * ```
   */
  confirm(id: string, params: PaymentIntentConfirmParams, options?: RequestOptions): PendingCall<Result<PaymentIntent>>
}

/**
 * Pages on which payers pay. A session belongs to one payment intent, whose events report the outcome.
 *
 * @example
 * ```ts
 * const readOnly: Pick<CheckoutSessions, 'list' | 'retrieve'> = payments.checkout.sessions
 * ```
 */
export interface CheckoutSessions {
  /**
   * Create a page on which a payer pays.
   *
   * Creates a checkout session. Send `amount`, `currency` and `payment_method_types` to create a payment
   * intent with it, or send an existing `payment_intent`. Send the payer to `url`, or give `client_secret` to
   * an embedded page.
   *
   * The events of the intent report the outcome. A session writes no event when it is paid.
   *
   * An intent has at most one session, ever. An intent of an invoice cannot have one, nor one that payers can
   * no longer confirm: `too_many_attempts` after their 10 charges, `intent_has_no_rail` if the deployment has
   * none of its rails in its currency.
   *
   * Rejects with a {@link ConflictError} (`customer_erased`, `intent_has_session`, `intent_has_invoice`,
   * `charge_in_progress`, `charge_terminal`, `intent_canceled`, `too_many_attempts`, `intent_has_no_rail`).
   *
   * @example
   * ```ts
   * const answer = await payments.checkout.sessions.create({
   *   amount: 5000,
   *   currency: 'XAF',
   *   payment_method_types: ['mtn_momo_cm'],
   *   success_url: 'https://shop.example/thanks?session={CHECKOUT_SESSION_ID}',
   *   metadata: { order: '42' },
   * })
   * ```
   */
  create(params?: CheckoutSessionCreateParams, options?: RequestOptions): PendingCall<Result<CheckoutSession>>

  /**
   * List checkout sessions, newest first.
   *
   * Pages through the checkout sessions of the merchant. All given filters must hold.
   *
   * @example
   * ```ts
   * const answer = await payments.checkout.sessions.list({ status: 'open', limit: 50 }).page()
   * ```
   */
  list(params?: CheckoutSessionListParams, options?: ReadOptions): Listing<CheckoutSession>

  /**
   * Read the current state of a checkout session.
   *
   * Reads a checkout session. Use it when the payer returns to your page, to see `payment_status`.
   *
   * @example
   * ```ts
   * const answer = await payments.checkout.sessions.retrieve('cs_0190b2c4f5a17c66ad0e93b1724f8d05')
   * ```
   */
  retrieve(id: string, options?: ReadOptions): PendingCall<Result<CheckoutSession>>

  /**
   * End an open checkout session.
   *
   * Ends an open session: its page then accepts no payment. Use it when an order is withdrawn.
   *
   * The payment intent is not canceled, and you can still confirm it. No event is written: Only the hourly
   * sweep writes `checkout.session.expired`.
   *
   * Rejects with a {@link ConflictError} (`session_not_open`, `charge_in_progress`).
   *
   * @example
   * ```ts
   * const answer = await payments.checkout.sessions.expire('cs_0190b2c4f5a17c66ad0e93b1724f8d05')
   * ```
   */
  expire(id: string, options?: RequestOptions): PendingCall<Result<CheckoutSession>>
}

/**
 * The people who pay a merchant. Neither phone nor email is unique.
 *
 * @example
 * ```ts
 * const readOnly: Pick<Customers, 'list' | 'retrieve'> = payments.customers
 * ```
 */
export interface Customers {
  /**
   * Store a person who pays you.
   *
   * Creates a customer and writes `customer.created`. At least one of `name`, `email` and `phone` is
   * required; an address alone is not enough.
   *
   * Phone and email are not unique: two creates with one phone create two customers. Only the Idempotency-Key
   * keeps a retry from creating a second customer.
   *
   * @example
   * ```ts
   * const answer = await payments.customers.create({
   *   name: 'Awa Ngo',
   *   phone: '+237 6 70 00 00 01',
   *   address: { city: 'Douala', country: 'CM' },
   *   metadata: { tier: 'gold' },
   * })
   * ```
   */
  create(params?: CustomerCreateParams, options?: RequestOptions): PendingCall<Result<Customer>>

  /**
   * List customers, newest first.
   *
   * Pages through all customers of the merchant, erased ones included. There is no filter: an unknown
   * parameter, such as `email`, is a 400 that names it.
   *
   * @example
   * ```ts
   * const answer = await payments.customers.list({ limit: 100 }).page()
   * ```
   */
  list(params?: ListParams, options?: ReadOptions): Listing<Customer>

  /**
   * Read a customer.
   *
   * Reads a customer. An erased customer has `deleted: true`. A removed customer is a 404.
   *
   * @example
   * ```ts
   * const answer = await payments.customers.retrieve('cus_0190b2c4dd3e7b1f9a2c48e6f05b7d91')
   * ```
   */
  retrieve(id: string, options?: ReadOptions): PendingCall<Result<Customer>>

  /**
   * Change the data of a customer.
   *
   * Changes only the fields that are sent: an empty value clears its field, an address is replaced whole, and
   * metadata merges key by key. A change writes `customer.updated`; an update that changes nothing writes no
   * event.
   *
   * Clearing the last of `name`, `email` and `phone` is a 400.
   *
   * Rejects with a {@link ConflictError} (`customer_erased`).
   *
   * @example
   * ```ts
   * const answer = await payments.customers.update('cus_0190b2c4dd3e7b1f9a2c48e6f05b7d91', { email: null, address: { city: 'Kribi' } })
   * ```
   */
  update(id: string, params?: CustomerUpdateParams, options?: RequestOptions): PendingCall<Result<Customer>>

  /**
   * Erase a customer for good.
   *
   * Erases a customer and every stored copy of the identifiers, and writes `customer.deleted`. A customer of
   * a payment intent, checkout session or invoice is kept without identifiers and has `deleted: true`. Any
   * other customer is removed.
   *
   * A second DELETE of a kept customer has the same answer. A second DELETE of a removed customer is a 404,
   * also for a retry after a lost answer: that 404 can mean that this call deleted it. The answer is never a
   * 409.
   *
   * @example
   * ```ts
   * const answer = await payments.customers.del('cus_0190b2c4dd3e7b1f9a2c48e6f05b7d91')
   * ```
   */
  del(id: string, options?: ReadOptions): PendingCall<Result<DeletedCustomer>>
}

/**
 * Refunds to a mobile-money account, in part or in full. A refund is `pending` once its rail is instructed.
 *
 * @example
 * ```ts
 * const readOnly: Pick<Refunds, 'list' | 'retrieve'> = payments.refunds
 * ```
 */
export interface Refunds {
  /**
   * Refund a payment to a mobile-money account.
   *
   * Creates a refund, reserves its amount on the payment intent, writes `charge.refunded` and instructs the
   * rail. A payment can have several partial refunds, up to its amount.
   *
   * The 201 has `status` `pending`, whatever the rail answered, and does not mean that money moved. If the
   * rail refuses, the event `charge.refund.updated` reports `failed`, and the amount can be refunded again.
   *
   * On a rail without refunds, the answer is a 501 `not_supported`, and the refund is created as `failed`. An
   * amount above the unrefunded rest is a 400 that names `amount`.
   *
   * Rejects with a {@link ConflictError} (`intent_not_succeeded`, `charge_unproven`), a
   * {@link NotSupportedError} (`not_supported`).
   *
   * @example
   * ```ts
   * const answer = await payments.refunds.create({
   *   payment_intent: 'pi_0190b2c51d207e4c8f3a6b7d92e05c14',
   *   amount: 2000,
   *   reason: 'requested_by_customer',
   *   destination: { mtn_momo_cm: { msisdn: '237670000001' } },
   * })
   * ```
   */
  create(params: RefundCreateParams, options?: RequestOptions): PendingCall<Result<Refund>>

  /**
   * List refunds, newest first.
   *
   * Pages through the refunds of the merchant. All given filters must hold.
   *
   * @example
   * ```ts
   * const answer = await payments.refunds.list({ payment_intent: 'pi_0190b2c51d207e4c8f3a6b7d92e05c14' }).page()
   * ```
   */
  list(params?: RefundListParams, options?: ReadOptions): Listing<Refund>

  /**
   * Read the current state of a refund.
   *
   * Reads a refund. Use it to see whether the rail refused it: `failed`, with a `failure_reason`.
   *
   * @example
   * ```ts
   * const answer = await payments.refunds.retrieve('re_0190b2c5243b7e81ad6f02c95b17e8d4')
   * ```
   */
  retrieve(id: string, options?: ReadOptions): PendingCall<Result<Refund>>

  /**
   * Change the metadata of a refund.
   *
   * Merges metadata key by key: an empty value removes its key. No other field of a refund can change: any
   * other parameter is a 400 that names it.
   *
   * A change writes `charge.refund.updated`. An update that changes nothing writes no event.
   *
   * @example
   * ```ts
   * const answer = await payments.refunds.update('re_0190b2c5243b7e81ad6f02c95b17e8d4', { metadata: { ticket: '4711' } })
   * ```
   */
  update(id: string, params?: RefundUpdateParams, options?: RequestOptions): PendingCall<Result<Refund>>

  /**
   * Cancel a refund that requires an action.
   *
   * Only a refund in `requires_action` can be canceled. Create never leaves a refund in that state, because
   * it instructs the rail at once. So the answer is a 409 `refund_not_cancelable`. The route exists for
   * clients of the compatible API.
   *
   * Rejects with a {@link ConflictError} (`refund_not_cancelable`).
   *
   * @example
   * ```ts
   * const answer = await payments.refunds.cancel('re_0190b2c5243b7e81ad6f02c95b17e8d4')
   * ```
   */
  cancel(id: string, options?: RequestOptions): PendingCall<Result<Refund>>
}

/**
 * Name checks of mobile-money accounts. Nothing is stored.
 *
 * @example
 * ```ts
 * const lookUp: AccountHolders['retrieve'] = payments.accountHolders.retrieve
 * ```
 */
export interface AccountHolders {
  /**
   * Look up the holder of a mobile-money account.
   *
   * Asks the operator whose account a number is. Use it before you charge a number or send money to it.
   *
   * Each call asks the operator again. In each process of the API a merchant has a burst of 50 look-ups, then
   * one per second. A call above that is a 503 `service_unavailable` and does not reach the operator.
   *
   * Rejects with a {@link NotSupportedError} (`not_supported`), a {@link ProviderUnavailableError}
   * (`provider_unavailable`).
   *
   * @example
   * ```ts
   * const answer = await payments.accountHolders.retrieve({
   *   payment_method_type: 'mtn_momo_cm',
   *   msisdn: '+237 6 70 00 00 01',
   * })
   * ```
   */
  retrieve(params: AccountHolderRetrieveParams, options?: ReadOptions): PendingCall<Result<AccountHolder>>
}

/**
 * Bills: a draft with lines is finalized, then paid. An operation that the invoice’s state forbids is a 409
 * whose code names that state.
 *
 * @example
 * ```ts
 * const draft = await payments.invoices.create({ customer: customer.id, currency: 'XAF' })
 * await payments.invoiceItems.create({ invoice: draft.id, amount: 5000 })
 * await payments.invoices.finalizeInvoice(draft.id)
 * const { payment_intent } = await payments.invoices.pay(draft.id)
 * ```
 */
export interface Invoices {
  /**
   * Create a draft invoice.
   *
   * Creates a draft without lines and writes `invoice.created`. Add lines with the invoice items, then
   * finalize the invoice and pay it.
   *
   * Customer and currency cannot change later.
   *
   * Rejects with a {@link ConflictError} (`customer_erased`).
   *
   * @example
   * ```ts
   * const answer = await payments.invoices.create({
   *   customer: 'cus_0190b2c4dd3e7b1f9a2c48e6f05b7d91',
   *   currency: 'XAF',
   *   days_until_due: 30,
   * })
   * ```
   */
  create(params: InvoiceCreateParams, options?: RequestOptions): PendingCall<Result<Invoice>>

  /**
   * List invoices with their lines, newest first.
   *
   * Pages through the invoices of the merchant. All given filters must hold.
   *
   * @example
   * ```ts
   * const answer = await payments.invoices.list({ status: 'open' }).page()
   * ```
   */
  list(params?: InvoiceListParams, options?: ReadOptions): Listing<Invoice>

  /**
   * Read an invoice with all of its lines.
   *
   * Reads an invoice. `lines.data` has all of its lines.
   *
   * @example
   * ```ts
   * const answer = await payments.invoices.retrieve('in_0190b2c50b617f0e94d2a8c37be516f4')
   * ```
   */
  retrieve(id: string, options?: ReadOptions): PendingCall<Result<Invoice>>

  /**
   * Change a draft, or the description of an invoice.
   *
   * Changes only the fields that are sent. On a finalized invoice, only `description` and `metadata` can
   * change. No event is written.
   *
   * Rejects with a {@link ConflictError} (`invoice_not_draft`).
   *
   * @example
   * ```ts
   * const answer = await payments.invoices.update('in_0190b2c5128e7a93a5f06d4be1c278b9', { description: 'May, corrected', metadata: { order: '42' } })
   * ```
   */
  update(id: string, params?: InvoiceUpdateParams, options?: RequestOptions): PendingCall<Result<Invoice>>

  /**
   * Delete a draft with its lines.
   *
   * Deletes a draft. A finalized invoice cannot be deleted; void it instead.
   *
   * A second DELETE is a 404, also for a retry after a lost answer: that 404 can mean that this call deleted
   * it.
   *
   * Rejects with a {@link ConflictError} (`invoice_not_draft`).
   *
   * @example
   * ```ts
   * const answer = await payments.invoices.del('in_0190b2c5037a7d52b8e41f6c9a30d7e2')
   * ```
   */
  del(id: string, options?: ReadOptions): PendingCall<Result<DeletedInvoice>>

  /**
   * Finalize a draft and number it.
   *
   * Makes a draft `open`, gives it the merchant’s next number and writes `invoice.finalized`. Its lines and
   * its total can then no longer change.
   *
   * A draft needs a line, and a total of 1 to 99 999 999 in minor units. Otherwise the answer is a 400 that
   * names `lines`.
   *
   * Rejects with a {@link ConflictError} (`invoice_not_draft`, `customer_erased`).
   *
   * @example
   * ```ts
   * const answer = await payments.invoices.finalizeInvoice('in_0190b2c50b617f0e94d2a8c37be516f4')
   * ```
   */
  finalizeInvoice(id: string, options?: RequestOptions): PendingCall<Result<Invoice>>

  /**
   * Write an open invoice off.
   *
   * Marks an open invoice as uncollectible. It can still be paid or voided. No event is written.
   *
   * While a charge of the invoice may still succeed, the answer is a 409 `charge_in_progress`.
   *
   * Rejects with a {@link ConflictError} (`invoice_draft`, `invoice_paid`, `invoice_void`,
   * `invoice_uncollectible`, `charge_in_progress`).
   *
   * @example
   * ```ts
   * const answer = await payments.invoices.markUncollectible('in_0190b2c5128e7a93a5f06d4be1c278b9')
   * ```
   */
  markUncollectible(id: string, options?: RequestOptions): PendingCall<Result<Invoice>>

  /**
   * Create the payment intent that pays an invoice.
   *
   * Creates a payment intent over the total of an open or uncollectible invoice. Confirm that intent. When it
   * succeeds, `invoice.paid` is written.
   *
   * An invoice never has two payable intents: a waiting intent is returned again, and a canceled one is
   * replaced. While a charge of the invoice may still succeed, the answer is a 409 `charge_in_progress`. An
   * invoice that no enabled rail can settle is a 400 that names `payment_method_types`.
   *
   * A waiting intent that payers can no longer confirm is a 409: `too_many_attempts` after their 10 charges,
   * `intent_has_no_rail` if the deployment no longer has its rails. Cancel that intent, then pay the invoice
   * again.
   *
   * Rejects with a {@link ConflictError} (`invoice_draft`, `invoice_paid`, `invoice_void`,
   * `charge_in_progress`, `too_many_attempts`, `intent_has_no_rail`, `customer_erased`).
   *
   * @example
   * ```ts
   * const answer = await payments.invoices.pay('in_0190b2c5128e7a93a5f06d4be1c278b9')
   * ```
   */
  pay(id: string, options?: RequestOptions): PendingCall<Result<Invoice>>

  /**
   * Void an open or uncollectible invoice.
   *
   * Voids an open or uncollectible invoice and writes `invoice.voided`. It keeps its number, and its payment
   * intent can no longer be confirmed.
   *
   * While a charge of the invoice may still succeed, the answer is a 409 `charge_in_progress`.
   *
   * Rejects with a {@link ConflictError} (`invoice_draft`, `invoice_paid`, `invoice_void`,
   * `charge_in_progress`).
   *
   * @example
   * ```ts
   * const answer = await payments.invoices.voidInvoice('in_0190b2c5128e7a93a5f06d4be1c278b9')
   * ```
   */
  voidInvoice(id: string, options?: RequestOptions): PendingCall<Result<Invoice>>
}

/**
 * The lines of invoices. There is no list of them, because an invoice contains its lines.
 *
 * @example
 * ```ts
 * const readOnly: Pick<InvoiceItems, 'retrieve'> = payments.invoiceItems
 * ```
 */
export interface InvoiceItems {
  /**
   * Add a line to a draft.
   *
   * Adds a line to a draft. A draft has at most 250 lines and 256 KiB of lines. The draft’s total changes in
   * the same transaction.
   *
   * Send `amount`, or `unit_amount` with `quantity`. A negative amount is a credit.
   *
   * Rejects with a {@link ConflictError} (`invoice_not_draft`).
   *
   * @example
   * ```ts
   * const answer = await payments.invoiceItems.create({
   *   invoice: 'in_0190b2c5037a7d52b8e41f6c9a30d7e2',
   *   unit_amount: 2500,
   *   quantity: 2,
   *   description: 'Bag of rice',
   * })
   * ```
   */
  create(params: InvoiceItemCreateParams, options?: RequestOptions): PendingCall<Result<InvoiceItem>>

  /**
   * Read a line of an invoice.
   *
   * Reads a line. There is no list of lines, because an invoice has its lines in `lines.data`.
   *
   * @example
   * ```ts
   * const answer = await payments.invoiceItems.retrieve('ii_0190b2c507c4793fb1d85e20f6a94c37')
   * ```
   */
  retrieve(id: string, options?: ReadOptions): PendingCall<Result<InvoiceItem>>

  /**
   * Change a line of a draft.
   *
   * Changes only the fields that are sent. The draft’s total changes in the same transaction.
   *
   * A line of a finalized invoice cannot change.
   *
   * Rejects with a {@link ConflictError} (`invoice_not_draft`).
   *
   * @example
   * ```ts
   * const answer = await payments.invoiceItems.update('ii_0190b2c507c4793fb1d85e20f6a94c37', {
   *   description: 'Bag of rice, 25 kg',
   *   metadata: { sku: 'R25' },
   * })
   * ```
   */
  update(id: string, params?: InvoiceItemUpdateParams, options?: RequestOptions): PendingCall<Result<InvoiceItem>>

  /**
   * Delete a line of a draft.
   *
   * Deletes a line of a draft. The draft’s total changes in the same transaction.
   *
   * A second DELETE is a 404, also for a retry after a lost answer: that 404 can mean that this call deleted
   * it.
   *
   * Rejects with a {@link ConflictError} (`invoice_not_draft`).
   *
   * @example
   * ```ts
   * const answer = await payments.invoiceItems.del('ii_0190b2c507c4793fb1d85e20f6a94c37')
   * ```
   */
  del(id: string, options?: ReadOptions): PendingCall<Result<DeletedInvoiceItem>>
}

/**
 * State changes, to catch up after missed webhooks. An event is written with its state change and never
 * changes, except by an erasure.
 *
 * @example
 * ```ts
 * const latest = await payments.events.list().toArray({ limit: 20 })
 * ```
 */
export interface Events {
  /**
   * List events in the order of their commits.
   *
   * Pages through the events of the merchant, newest first. Use it to catch up after missed webhooks: set
   * `ending_before` to the id of the last event that you handled to get the newer ones.
   *
   * An event is listed as soon as its change is committed, and is always newer than every event listed before
   * it.
   *
   * @example
   * ```ts
   * const answer = await payments.events.list({
   *   types: ['payment_intent.succeeded', 'invoice.paid'],
   *   limit: 100,
   * }).page()
   * ```
   */
  list(params?: EventListParams, options?: ReadOptions): Listing<Event>

  /**
   * Read an event again.
   *
   * Reads an event in the form that webhook endpoints receive. Events are kept for the deployment’s
   * `retention_days`, 400 by default.
   *
   * @example
   * ```ts
   * const answer = await payments.events.retrieve('evt_0190b2c52c9f7b44986ad3f1e05c72b8')
   * ```
   */
  retrieve(id: string, options?: ReadOptions): PendingCall<Result<Event>>
}
