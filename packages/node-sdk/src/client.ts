import { createAccountHolders } from './account-holders.ts'
import type {
  AccountHolders,
  Customers,
  Events,
  InvoiceItems,
  Invoices,
  PaymentIntents,
  Refunds,
} from './calls.ts'
import { type Checkout, createCheckout } from './checkout-sessions.ts'
import { createCustomers } from './customers.ts'
import { createEvents } from './events.ts'
import { createInvoiceItems } from './invoice-items.ts'
import { createInvoices } from './invoices.ts'
import { createPaymentIntents } from './payment-intents.ts'
import { createRefunds } from './refunds.ts'
import { type Call, type RequestOptions, withCheckedArguments } from './request.ts'
import type { PendingCall, Result } from './result.ts'
import { createSend } from './send.ts'
import { type MerchantPaymentsOptions, type Platform, readSettings } from './settings.ts'
import { cacheOf } from './token-source.ts'
import type { Webhooks } from './webhooks.ts'

/**
 * A client of the Merchant Payments API. Create one per process; concurrent use is safe.
 *
 * @example
 * ```ts
 * async function readStatus(payments: MerchantPayments, id: string) {
 *   return (await payments.paymentIntents.retrieve(id)).status
 * }
 * ```
 */
export interface MerchantPayments {
  /** Payments: create, confirm, read, cancel. */
  readonly paymentIntents: PaymentIntents
  /** Pages on which payers pay. */
  readonly checkout: Checkout
  /** The people who pay a merchant. */
  readonly customers: Customers
  /** Refunds, in part or in full. */
  readonly refunds: Refunds
  /** Name checks of mobile-money accounts. */
  readonly accountHolders: AccountHolders
  /** Invoices: drafts, finalized and paid ones. */
  readonly invoices: Invoices
  /** The lines of invoices. */
  readonly invoiceItems: InvoiceItems
  /** Events, to catch up after missed webhooks. */
  readonly events: Events
  /** Verifies webhooks. */
  readonly webhooks: Webhooks

  /**
   * Calls a path for which this version has no method, with the same token, retries and errors.
   *
   * @example
   * ```ts
   * const found = await payments.request<{ id: string }>({
   *   method: 'GET',
   *   path: '/v1/newer_resources',
   *   params: { limit: 3 },
   * })
   * ```
   */
  request<T extends object = Record<string, unknown>>(
    call: Call,
    options?: RequestOptions,
  ): PendingCall<Result<T>>
}

/** Creates a client on the transport of a platform. */
export function createClient(options: MerchantPaymentsOptions, platform: Platform): MerchantPayments {
  const settings = readSettings(options, platform)
  const send = createSend(settings, cacheOf(settings))
  return {
    paymentIntents: withCheckedArguments(createPaymentIntents(send)),
    checkout: createCheckout(send),
    customers: withCheckedArguments(createCustomers(send)),
    refunds: withCheckedArguments(createRefunds(send)),
    accountHolders: withCheckedArguments(createAccountHolders(send)),
    invoices: withCheckedArguments(createInvoices(send)),
    invoiceItems: withCheckedArguments(createInvoiceItems(send)),
    events: withCheckedArguments(createEvents(send)),
    webhooks: platform.webhooks,
    request: send,
  }
}
