import { createCustomer, deleteCustomer, updateCustomer } from './customers.ts'
import { cancelIntent, confirmIntent, createIntent, withoutSecret } from './intents.ts'
import { createItem, deleteItem, retrieveItem, updateItem } from './invoice-items.ts'
import {
  createInvoice,
  deleteInvoice,
  finalizeInvoice,
  markUncollectible,
  payInvoice,
  updateInvoice,
  voidInvoice,
} from './invoices.ts'
import { listRows } from './lists.ts'
import { type Form, textOf } from './parse-form.ts'
import { cancelRefund, createRefund, updateRefund } from './refunds.ts'
import { createSession, expireSession, withoutSessionSecret } from './sessions.ts'
import { get, Refusal, type Store } from './store.ts'
import { phoneOf } from './values.ts'

interface Answer {
  readonly status: number
  readonly body: object
}

/** Method and path, with `*` for an id. */
type Route = (store: Store, id: string, form: Form) => Answer

const ok = (body: object): Answer => ({ status: 200, body })
const created = (body: object): Answer => ({ status: 201, body })

const routes: Readonly<Record<string, Route>> = {
  'POST /v1/payment_intents': (store, _id, form) => created(createIntent(store, form)),
  'GET /v1/payment_intents': ({ intents }, _id, form) =>
    ok(listRows('/v1/payment_intents', [...intents.values()].map(withoutSecret), form)),
  'GET /v1/payment_intents/*': ({ intents }, id) => ok(get(intents, id, 'payment intent')),
  'POST /v1/payment_intents/*/confirm': (store, id, form) => ok(confirmIntent(store, id, form)),
  'POST /v1/payment_intents/*/cancel': (store, id, form) => ok(cancelIntent(store, id, form)),
  'POST /v1/refunds': (store, _id, form) => created(createRefund(store, form)),
  'GET /v1/refunds': ({ refunds }, _id, form) => ok(listRows('/v1/refunds', [...refunds.values()], form)),
  'GET /v1/refunds/*': ({ refunds }, id) => ok(get(refunds, id, 'refund')),
  'POST /v1/refunds/*': (store, id, form) => ok(updateRefund(store, id, form)),
  'POST /v1/refunds/*/cancel': cancelRefund,
  'POST /v1/invoices': (store, _id, form) => ok(createInvoice(store, form)),
  'GET /v1/invoices': ({ invoices }, _id, form) => ok(listRows('/v1/invoices', [...invoices.values()], form)),
  'GET /v1/invoices/*': ({ invoices }, id) => ok(get(invoices, id, 'invoice')),
  'POST /v1/invoices/*': (store, id, form) => ok(updateInvoice(store, id, form)),
  'DELETE /v1/invoices/*': (store, id) => ok(deleteInvoice(store, id)),
  'POST /v1/invoices/*/finalize': (store, id) => ok(finalizeInvoice(store, id)),
  'POST /v1/invoices/*/void': (store, id) => ok(voidInvoice(store, id)),
  'POST /v1/invoices/*/mark_uncollectible': (store, id) => ok(markUncollectible(store, id)),
  'POST /v1/invoices/*/pay': (store, id) => ok(payInvoice(store, id)),
  'POST /v1/invoice_items': (store, _id, form) => ok(createItem(store, form)),
  'GET /v1/invoice_items/*': (store, id) => ok(retrieveItem(store, id)),
  'POST /v1/invoice_items/*': (store, id, form) => ok(updateItem(store, id, form)),
  'DELETE /v1/invoice_items/*': (store, id) => ok(deleteItem(store, id)),
  'POST /v1/checkout/sessions': (store, _id, form) => ok(createSession(store, form)),
  'GET /v1/checkout/sessions': ({ sessions }, _id, form) =>
    ok(listRows('/v1/checkout/sessions', [...sessions.values()].map(withoutSessionSecret), form)),
  'GET /v1/checkout/sessions/*': ({ sessions }, id) => ok(get(sessions, id, 'checkout session')),
  'POST /v1/checkout/sessions/*/expire': (store, id) => ok(expireSession(store, id)),
  'POST /v1/customers': (store, _id, form) => ok(createCustomer(store, form)),
  'GET /v1/customers': ({ customers }, _id, form) =>
    ok(listRows('/v1/customers', [...customers.values()], form)),
  'GET /v1/customers/*': ({ customers }, id) => ok(get(customers, id, 'customer')),
  'POST /v1/customers/*': (store, id, form) => ok(updateCustomer(store, id, form)),
  'DELETE /v1/customers/*': (store, id) => ok(deleteCustomer(store, id)),
  'GET /v1/events': ({ events }, _id, form) => ok(listRows('/v1/events', [...events.values()], form)),
  'GET /v1/events/*': ({ events }, id) => ok(get(events, id, 'event')),
  'GET /v1/account_holders': (_store, _id, form) =>
    ok({
      object: 'account_holder',
      payment_method_type: textOf(form['payment_method_type']),
      msisdn: phoneOf(textOf(form['msisdn']) ?? ''),
      registered: true,
      name: 'AWA NGO',
      livemode: false,
    }),
}

const patterns = Object.entries(routes).map(([key, route]) => ({
  pattern: new RegExp(`^${key.replace('*', '([^/]+)')}$`),
  route,
}))

/** Answers one call. Throws a {@link Refusal} for what the service refuses. */
export function answerCall(store: Store, method: string, path: string, form: Form): Answer {
  for (const { pattern, route } of patterns) {
    const found = pattern.exec(`${method} ${path}`)
    if (found === null) continue
    return route(store, found[1] ?? '', form)
  }
  throw new Refusal(404, 'unknown_route', `The fake has no ${method} ${path}.`)
}
