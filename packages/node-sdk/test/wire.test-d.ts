import type * as contract from '@merchant-payments/contract'
import { describe, expectTypeOf, test } from 'vitest'
import type { Event as VerifiedEvent } from '@merchant-payments/webhook-verifier'
import type {
  AccountHolder,
  AccountHolderRetrieveParams,
  CancellationReason,
  CheckoutPaymentStatus,
  CheckoutSession,
  CheckoutSessionCreateParams,
  CheckoutSessionListParams,
  CheckoutSessionStatus,
  CheckoutUiMode,
  Currency,
  Customer,
  CustomerCreateParams,
  CustomerUpdateParams,
  DeletedCustomer,
  DeclineCode,
  DeletedInvoice,
  DeletedInvoiceItem,
  ErrorCode,
  Event,
  EventListParams,
  EventType,
  Invoice,
  InvoiceCreateParams,
  InvoiceItem,
  InvoiceItemCreateParams,
  InvoiceItemUpdateParams,
  InvoiceListParams,
  InvoiceStatus,
  InvoiceUpdateParams,
  List,
  ListParams,
  MerchantPayments,
  Page,
  PaymentIntent,
  PaymentIntentCancelParams,
  PaymentIntentConfirmParams,
  PaymentIntentCreateParams,
  PaymentIntentStatus,
  PaymentMethodData,
  PendingCall,
  Refund,
  RefundCreateParams,
  RefundFailure,
  RefundListParams,
  RefundReason,
  RefundStatus,
  RefundUpdateParams,
  Result,
  UnknownEvent,
  WithResponse,
} from '../src/index.ts'
import type { ApiErrorType } from '../src/wire.ts'

/** Parameters that the contract declares only to refuse them (spec 4.3.3). */
type Refused = 'capture_method' | 'application_fee_amount' | 'transfer_data' | 'on_behalf_of'

/** The same for sessions. docs/spec-gaps.md, checkout sessions. */
type RefusedOfSession = Refused | 'line_items' | 'mode' | 'amount_total' | 'payment_intent_data'

/** The SDK does not offer `expand`, which the API ignores (spec 4.3.4). */
type Ignored = 'expand'

type Input<S> = S extends { _zod: { input: infer I } } ? I : never

describe('the types generated from the documents equal those of the contract', () => {
  test('payment intent', () => {
    expectTypeOf<PaymentIntent>().toEqualTypeOf<contract.PaymentIntent>()
    expectTypeOf<PaymentIntentStatus>().toEqualTypeOf<contract.IntentStatus>()
    expectTypeOf<CancellationReason>().toEqualTypeOf<contract.CancellationReason>()
    expectTypeOf<Currency>().toEqualTypeOf<contract.Currency>()
    expectTypeOf<DeclineCode>().toEqualTypeOf<contract.DeclineCode>()
  })

  test('checkout session', () => {
    expectTypeOf<CheckoutSession>().toEqualTypeOf<contract.CheckoutSession>()
    expectTypeOf<CheckoutSessionStatus>().toEqualTypeOf<contract.SessionStatus>()
    expectTypeOf<CheckoutPaymentStatus>().toEqualTypeOf<contract.PaymentStatus>()
    expectTypeOf<CheckoutUiMode>().toEqualTypeOf<contract.UiMode>()
  })

  test('customer', () => {
    expectTypeOf<Customer>().toEqualTypeOf<contract.Customer>()
    expectTypeOf<DeletedCustomer>().toEqualTypeOf<contract.DeletedCustomer>()
  })

  test('refund', () => {
    expectTypeOf<Refund>().toEqualTypeOf<contract.Refund>()
    expectTypeOf<RefundStatus>().toEqualTypeOf<contract.RefundStatus>()
    expectTypeOf<RefundReason>().toEqualTypeOf<contract.RefundReason>()
    expectTypeOf<RefundFailure>().toEqualTypeOf<contract.RefundFailure>()
    type Create = Input<typeof contract.createRefund.body>
    type Update = Input<typeof contract.updateRefund.body>
    type Query = Input<typeof contract.listRefunds.query>
    expectTypeOf<keyof RefundCreateParams>().toEqualTypeOf<Exclude<keyof Create, 'charge'>>()
    expectTypeOf<keyof RefundUpdateParams>().toEqualTypeOf<keyof Update>()
    expectTypeOf<keyof RefundListParams>().toEqualTypeOf<Exclude<keyof Query, Ignored>>()
  })

  test('account holder', () => {
    expectTypeOf<AccountHolder>().toEqualTypeOf<contract.AccountHolder>()
    type Query = Input<typeof contract.retrieveAccountHolder.query>
    expectTypeOf<keyof AccountHolderRetrieveParams>().toEqualTypeOf<Exclude<keyof Query, Ignored>>()
  })

  test('invoice and its items', () => {
    expectTypeOf<Invoice>().toEqualTypeOf<contract.Invoice>()
    expectTypeOf<InvoiceStatus>().toEqualTypeOf<contract.InvoiceStatus>()
    expectTypeOf<InvoiceItem>().toEqualTypeOf<contract.InvoiceItem>()
    type Deleted<Op extends { ok: { schema: unknown } }> = Input<Op['ok']['schema']>
    expectTypeOf<DeletedInvoice>().toEqualTypeOf<Deleted<typeof contract.deleteInvoice>>()
    expectTypeOf<DeletedInvoiceItem>().toEqualTypeOf<Deleted<typeof contract.deleteInvoiceItem>>()
  })

  test('event, with the snapshots that this version knows', () => {
    type Head = 'id' | 'object' | 'type' | 'created' | 'livemode'
    expectTypeOf<EventType>().toEqualTypeOf<contract.EventType>()
    expectTypeOf<keyof Event>().toEqualTypeOf<keyof contract.Event>()
    type Known = Exclude<Event, UnknownEvent>
    expectTypeOf<Pick<Known, Head>>().toEqualTypeOf<Pick<contract.Event, Head>>()
    expectTypeOf<keyof Event['data']>().toEqualTypeOf<keyof contract.Event['data']>()

    type Snapshot<T extends EventType> = Extract<Event, { type: T }>['data']['object']
    type IntentType = Extract<EventType, `payment_intent.${string}`>
    type SessionType = 'checkout.session.expired'
    type CustomerType = Extract<EventType, `customer.${string}`>
    type RefundType = 'charge.refunded' | 'charge.refund.updated'
    type InvoiceType = Extract<EventType, `invoice.${string}`>
    type OtherType = Exclude<EventType, IntentType | SessionType | CustomerType | RefundType | InvoiceType>
    // Snapshots have no secret, page address and lines (spec 6.2).
    expectTypeOf<Snapshot<IntentType>>().toEqualTypeOf<Omit<contract.PaymentIntent, 'client_secret'>>()
    type Page = 'url' | 'client_secret'
    expectTypeOf<Omit<Snapshot<SessionType>, 'url'>>().toEqualTypeOf<Omit<contract.CheckoutSession, Page>>()
    expectTypeOf<Snapshot<SessionType>['url']>().toEqualTypeOf<null>()
    expectTypeOf<Snapshot<CustomerType>>().toEqualTypeOf<contract.Customer>()
    expectTypeOf<Snapshot<RefundType>>().toEqualTypeOf<contract.Refund>()
    expectTypeOf<Omit<Snapshot<InvoiceType>, 'lines'>>().toEqualTypeOf<Omit<contract.Invoice, 'lines'>>()
    expectTypeOf<Snapshot<InvoiceType>['lines']>().toExtend<contract.Invoice['lines']>()
    expectTypeOf<Snapshot<InvoiceType>['lines']['data']>().toEqualTypeOf<[]>()
    expectTypeOf<OtherType>().toBeNever()
  })

  test('error codes and types', () => {
    expectTypeOf<ErrorCode>().toEqualTypeOf<contract.ErrorCode>()
    expectTypeOf<ApiErrorType>().toEqualTypeOf<contract.ErrorKind['type']>()
  })

  test('list', () => {
    type Page = Input<typeof contract.listPaymentIntents.ok.schema>
    expectTypeOf<List<PaymentIntent>>().toEqualTypeOf<Page>()
  })

  test('the names of all parameters', () => {
    type Create = Input<typeof contract.createPaymentIntent.body>
    type Confirm = Input<typeof contract.confirmPaymentIntent.body>
    type Cancel = Input<typeof contract.cancelPaymentIntent.body>
    expectTypeOf<keyof PaymentIntentCreateParams>().toEqualTypeOf<Exclude<keyof Create, Refused>>()
    expectTypeOf<keyof PaymentIntentConfirmParams>().toEqualTypeOf<Exclude<keyof Confirm, Refused>>()
    expectTypeOf<keyof PaymentIntentCancelParams>().toEqualTypeOf<keyof Cancel>()

    type InvoiceCreate = Input<typeof contract.createInvoice.body>
    type InvoiceUpdate = Input<typeof contract.updateInvoice.body>
    type ItemCreate = Input<typeof contract.createInvoiceItem.body>
    type ItemUpdate = Input<typeof contract.updateInvoiceItem.body>
    expectTypeOf<keyof InvoiceCreateParams>().toEqualTypeOf<keyof InvoiceCreate>()
    expectTypeOf<keyof InvoiceUpdateParams>().toEqualTypeOf<keyof InvoiceUpdate>()
    expectTypeOf<keyof InvoiceItemCreateParams>().toEqualTypeOf<keyof ItemCreate>()
    expectTypeOf<keyof InvoiceItemUpdateParams>().toEqualTypeOf<keyof ItemUpdate>()

    type CreateSession = Input<typeof contract.createCheckoutSession.body>
    type SessionKeys = keyof CheckoutSessionCreateParams
    expectTypeOf<SessionKeys>().toEqualTypeOf<Exclude<keyof CreateSession, RefusedOfSession>>()

    type CreateCustomer = Input<typeof contract.createCustomer.body>
    type UpdateCustomer = Input<typeof contract.updateCustomer.body>
    expectTypeOf<keyof CustomerCreateParams>().toEqualTypeOf<keyof CreateCustomer>()
    expectTypeOf<keyof CustomerUpdateParams>().toEqualTypeOf<keyof UpdateCustomer>()

    type IntentQuery = Input<typeof contract.listPaymentIntents.query>
    type SessionQuery = Input<typeof contract.listCheckoutSessions.query>
    type InvoiceQuery = Input<typeof contract.listInvoices.query>
    type CustomerQuery = Input<typeof contract.listCustomers.query>
    type EventQuery = Input<typeof contract.listEvents.query>
    expectTypeOf<keyof ListParams>().toEqualTypeOf<Exclude<keyof IntentQuery, Ignored>>()
    expectTypeOf<keyof EventListParams>().toEqualTypeOf<Exclude<keyof EventQuery, Ignored>>()
    expectTypeOf<keyof CheckoutSessionListParams>().toEqualTypeOf<Exclude<keyof SessionQuery, Ignored>>()
    expectTypeOf<keyof InvoiceListParams>().toEqualTypeOf<Exclude<keyof InvoiceQuery, Ignored>>()
    expectTypeOf<keyof ListParams>().toEqualTypeOf<Exclude<keyof CustomerQuery, Ignored>>()
  })
})

test('a call is a promise of its result, and gives its response on demand', () => {
  const { paymentIntents } = {} as MerchantPayments
  expectTypeOf(paymentIntents.retrieve('')).toEqualTypeOf<PendingCall<Result<PaymentIntent>>>()
  expectTypeOf<Awaited<PendingCall<Result<PaymentIntent>>>>().toEqualTypeOf<Result<PaymentIntent>>()
  const answered = paymentIntents.retrieve('').withResponse()
  expectTypeOf(answered).resolves.toEqualTypeOf<WithResponse<Result<PaymentIntent>>>()
  expectTypeOf(paymentIntents.list().page().withResponse())
    .resolves.toHaveProperty('data')
    .toEqualTypeOf<Page<PaymentIntent>>()
})

test('null takes the place of all metadata in an update', () => {
  expectTypeOf<{ metadata: null }>().toExtend<CustomerUpdateParams>()
  expectTypeOf<{ metadata: null }>().toExtend<InvoiceUpdateParams>()
  expectTypeOf<{ metadata: null }>().toExtend<InvoiceItemUpdateParams>()
  expectTypeOf<{ metadata: null }>().toExtend<RefundUpdateParams>()
})

test('an event narrows by its type', () => {
  const event = {} as Event
  if (event.type === 'payment_intent.succeeded') {
    expectTypeOf(event.data.object.amount).toEqualTypeOf<number>()
  }
})

test('an event of the list and a verified webhook are one type', () => {
  expectTypeOf<Event>().toExtend<VerifiedEvent>()
  expectTypeOf<VerifiedEvent>().toExtend<Event>()
  expectTypeOf<VerifiedEvent['type']>().toEqualTypeOf<Event['type']>()
})

test('the snapshot of an event is accepted where its resource is', () => {
  const event = {} as VerifiedEvent
  if (event.type === 'checkout.session.expired') expectTypeOf(event.data.object).toExtend<CheckoutSession>()
  if (event.type === 'payment_intent.succeeded') expectTypeOf(event.data.object).toExtend<PaymentIntent>()
  if (event.type === 'invoice.paid') expectTypeOf(event.data.object).toExtend<Invoice>()
})

describe('the data of a rail', () => {
  test('is its instrument', () => {
    const push: PaymentMethodData = { mtn_momo_cm: { msisdn: '237670000001' } }
    const redirect: PaymentMethodData[] = [{ orange_money_cm: null }, { type: 'orange_money_cm' }]
    const both: PaymentMethodData = { type: 'mtn_momo_cm', mtn_momo_cm: { msisdn: '237670000001' } }
    const code = '' as string
    const computed: PaymentMethodData = { [code]: { msisdn: '237670000001' } }
    expectTypeOf([push, ...redirect, both, computed]).toExtend<PaymentMethodData[]>()
  })

  test('of a rail that this version does not know is one of the known instruments', () => {
    const data: PaymentMethodData[] = [{ wave_sn: { msisdn: '221770000001' } }, { wave_sn: null }]
    expectTypeOf(data).toEqualTypeOf<PaymentMethodData[]>()
  })

  test('is not just anything', () => {
    // @ts-expect-error a text is no instrument
    const text: PaymentMethodData = { misspelt: '1' }
    // @ts-expect-error a misspelt number
    const misspelt: PaymentMethodData = { mtn_momo_cm: { msidn: '237670000001' } }
    // @ts-expect-error a push rail needs a number
    const empty: PaymentMethodData = { mtn_momo_cm: {} }
    // @ts-expect-error a push rail needs a number
    const none: PaymentMethodData = { mtn_momo_cm: null }
    // @ts-expect-error a misspelt number of a rail that this version does not know
    const unknown: PaymentMethodData = { wave_sn: { number: '221770000001' } }
    // @ts-expect-error a misspelt number beside the type
    const typed: PaymentMethodData = { type: 'mtn_momo_cm', mtn_momo_cm: { number: '1' } }
    expectTypeOf([text, misspelt, empty, none, unknown, typed]).toExtend<PaymentMethodData[]>()
  })
})
