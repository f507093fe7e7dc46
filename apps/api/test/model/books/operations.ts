import { retrieveAccountHolder } from './account-holders.ts'
import {
  confirmIntentAsPayer,
  type PayerRule,
  retrieveAccountHolderAsPayer,
  retrieveIntentAsPayer,
  retrieveSessionAsPayer,
} from './browser.ts'
import type { Rule } from './call.ts'
import { createSession, expireSession, listSessions, retrieveSession } from './checkout-sessions.ts'
import { confirmIntent } from './confirm.ts'
import {
  createCustomer,
  deleteCustomer,
  listCustomers,
  retrieveCustomer,
  updateCustomer,
} from './customers.ts'
import { listEvents, retrieveEvent } from './events.ts'
import { createItem, deleteItem, retrieveItem, updateItem } from './invoice-items.ts'
import {
  createInvoice,
  deleteInvoice,
  finalizeInvoice,
  listInvoices,
  markInvoiceUncollectible,
  payInvoice,
  retrieveInvoice,
  updateInvoice,
  voidInvoice,
} from './invoices.ts'
import { cancelIntent, createIntent, listIntents, retrieveIntent } from './payment-intents.ts'
import { cancelRefund, createRefund, listRefunds, retrieveRefund, updateRefund } from './refunds.ts'

/** The rule of each operation of /v1, by the id that the contract gives it. */
export const rules = {
  'accountHolders.retrieve': retrieveAccountHolder,
  'checkout.sessions.create': createSession,
  'checkout.sessions.expire': expireSession,
  'checkout.sessions.list': listSessions,
  'checkout.sessions.retrieve': retrieveSession,
  'customers.create': createCustomer,
  'customers.del': deleteCustomer,
  'customers.list': listCustomers,
  'customers.retrieve': retrieveCustomer,
  'customers.update': updateCustomer,
  'events.list': listEvents,
  'events.retrieve': retrieveEvent,
  'invoiceItems.create': createItem,
  'invoiceItems.del': deleteItem,
  'invoiceItems.retrieve': retrieveItem,
  'invoiceItems.update': updateItem,
  'invoices.create': createInvoice,
  'invoices.del': deleteInvoice,
  'invoices.finalizeInvoice': finalizeInvoice,
  'invoices.list': listInvoices,
  'invoices.markUncollectible': markInvoiceUncollectible,
  'invoices.pay': payInvoice,
  'invoices.retrieve': retrieveInvoice,
  'invoices.update': updateInvoice,
  'invoices.voidInvoice': voidInvoice,
  'paymentIntents.cancel': cancelIntent,
  'paymentIntents.confirm': confirmIntent,
  'paymentIntents.create': createIntent,
  'paymentIntents.list': listIntents,
  'paymentIntents.retrieve': retrieveIntent,
  'refunds.cancel': cancelRefund,
  'refunds.create': createRefund,
  'refunds.list': listRefunds,
  'refunds.retrieve': retrieveRefund,
  'refunds.update': updateRefund,
} as const satisfies Record<string, Rule>

/** The same of /v1/browser. */
export const payerRules = {
  'browser.accountHolders.retrieve': retrieveAccountHolderAsPayer,
  'browser.checkout.sessions.retrieve': retrieveSessionAsPayer,
  'browser.paymentIntents.confirm': confirmIntentAsPayer,
  'browser.paymentIntents.retrieve': retrieveIntentAsPayer,
} as const satisfies Record<string, PayerRule>

export type OperationId = keyof typeof rules | keyof typeof payerRules
