/** TypeScript that shows how each type of the SDK is used, by the type's name. */
export const usage: Readonly<Record<string, string>> = {
  AccountHolder:
    "const greet = (holder: AccountHolder) => (holder.registered ? `Pay ${holder.name ?? holder.msisdn}?` : 'No such account.')",
  AccountHolderRetrieveParams:
    "const params: AccountHolderRetrieveParams = { payment_method_type: 'mtn_momo_cm', msisdn: '+237 6 70 00 00 01' }",
  AccountHolders: "const lookUp: AccountHolders['retrieve'] = payments.accountHolders.retrieve",
  Address: 'const degrees = ({ latitude_microdeg }: Address) => (latitude_microdeg ?? 0) / 1_000_000',
  CancellationReason: "const reason: CancellationReason = 'requested_by_customer'",
  CheckoutPaymentStatus: "const isSettled = (status: CheckoutPaymentStatus) => status === 'paid'",
  CheckoutSession:
    "const pageOf = (session: CheckoutSession) => (session.ui_mode === 'hosted' ? session.url : null)",
  CheckoutSessionCreateParams: `const params: CheckoutSessionCreateParams = {
  amount: 5000,
  currency: 'XAF',
  payment_method_types: ['mtn_momo_cm'],
  success_url: 'https://shop.example/thanks?session={CHECKOUT_SESSION_ID}',
}`,
  CheckoutSessionListParams:
    "const params: CheckoutSessionListParams = { status: 'open', created: { gte: 1767225600 }, limit: 50 }",
  CheckoutSessions:
    "const readOnly: Pick<CheckoutSessions, 'list' | 'retrieve'> = payments.checkout.sessions",
  CheckoutSessionStatus: "const canBePaid = (status: CheckoutSessionStatus) => status === 'open'",
  CheckoutUiMode: "const mode: CheckoutUiMode = 'hosted'",
  CreatedFilter: 'const lastHour: CreatedFilter = { gte: Math.floor(Date.now() / 1000) - 3600 }',
  Currency: 'const digits: Record<Currency, number> = { XAF: 0, EUR: 2 }',
  Customer: 'const isErased = (customer: Customer) => customer.deleted === true',
  CustomerCreateParams: `const params: CustomerCreateParams = {
  phone: '+237 6 70 00 00 01',
  address: { city: 'Douala', country: 'CM' },
  metadata: { tier: 'gold' },
}`,
  Customers: "const readOnly: Pick<Customers, 'list' | 'retrieve'> = payments.customers",
  CustomerUpdateParams: "const params: CustomerUpdateParams = { email: null, metadata: { tier: '' } }",
  DeclineCode:
    "const worthAnotherTry: readonly DeclineCode[] = ['approval_timeout', 'insufficient_funds', 'rail_unavailable']",
  DeletedCustomer: 'const isGone = ({ deleted }: DeletedCustomer) => deleted',
  DeletedInvoice: 'const { deleted }: DeletedInvoice = await payments.invoices.del(invoice.id)',
  DeletedInvoiceItem: 'const { deleted }: DeletedInvoiceItem = await payments.invoiceItems.del(item.id)',
  ErrorCode: "const settled: readonly ErrorCode[] = ['charge_terminal', 'intent_canceled']",
  Event: `const fulfil = (event: Event) => {
  if (event.type === 'payment_intent.succeeded') ship(event.data.object.metadata['order'])
}`,
  EventListParams:
    "const paid: EventListParams = { types: ['payment_intent.succeeded', 'invoice.paid'], created: { gte: 1767225600 } }",
  Events: 'const latest = await payments.events.list().toArray({ limit: 20 })',
  EventType: "const fulfilOn: EventType = 'payment_intent.succeeded'",
  Invoice: `const isOverdue = ({ status, due_date }: Invoice, nowSec: number) =>
  status === 'open' && due_date !== null && due_date < nowSec`,
  InvoiceCreateParams: `const params: InvoiceCreateParams = {
  customer: 'cus_0190b2c4dd3e7b1f9a2c48e6f05b7d91',
  currency: 'XAF',
  days_until_due: 30,
}`,
  InvoiceItem: 'const isCredit = (item: InvoiceItem) => item.amount < 0',
  InvoiceItemCreateParams: `const params: InvoiceItemCreateParams = {
  invoice: 'in_0190b2c5037a7d52b8e41f6c9a30d7e2',
  unit_amount: 2500,
  quantity: 2,
  description: 'Bag of rice',
}`,
  InvoiceItems: "const readOnly: Pick<InvoiceItems, 'retrieve'> = payments.invoiceItems",
  InvoiceItemUpdateParams:
    "const params: InvoiceItemUpdateParams = { quantity: 3, description: null, metadata: { sku: '' } }",
  InvoiceListParams:
    "const unpaid: InvoiceListParams = { customer: 'cus_0190b2c4dd3e7b1f9a2c48e6f05b7d91', status: 'open' }",
  Invoices: `const draft = await payments.invoices.create({ customer: customer.id, currency: 'XAF' })
await payments.invoiceItems.create({ invoice: draft.id, amount: 5000 })
await payments.invoices.finalizeInvoice(draft.id)
const { payment_intent } = await payments.invoices.pay(draft.id)`,
  InvoiceStatus:
    "const canBePaid = (status: InvoiceStatus) => status === 'open' || status === 'uncollectible'",
  InvoiceStatusTransitions:
    'const paidOn = ({ paid_at }: InvoiceStatusTransitions) => (paid_at === null ? null : new Date(paid_at * 1000))',
  InvoiceUpdateParams:
    "const params: InvoiceUpdateParams = { description: 'May, corrected', metadata: { order: '' } }",
  LastPaymentError: 'const reason = (error: LastPaymentError) => error.message ?? error.code',
  ListParams: 'const params: ListParams = { limit: 100, ending_before: lastSeenEventId }',
  NextAction: 'const target = (action: NextAction | null) => action?.redirect_to_url.url',
  PaymentIntent: "const isPaid = (intent: PaymentIntent) => intent.status === 'succeeded'",
  PaymentIntentCancelParams:
    "const params: PaymentIntentCancelParams = { cancellation_reason: 'requested_by_customer' }",
  PaymentIntentConfirmParams: `const params: PaymentIntentConfirmParams = {
  payment_method_data: { mtn_momo_cm: { msisdn: '237670000001' } },
}`,
  PaymentIntentCreateParams: `const params: PaymentIntentCreateParams = {
  amount: 5000,
  currency: 'XAF',
  payment_method_types: ['mtn_momo_cm'],
  metadata: { order: '42' },
}`,
  PaymentIntents: "const readOnly: Pick<PaymentIntents, 'list' | 'retrieve'> = payments.paymentIntents",
  PaymentMethodData:
    "const push: PaymentMethodData = { mtn_momo_cm: { msisdn: '237670000001' } }\nconst redirect: PaymentMethodData = { orange_money_cm: null }",
  PaymentIntentStatus:
    "const isOver = (status: PaymentIntentStatus) => status === 'succeeded' || status === 'canceled'",
  Refund:
    'const describe = (refund: Refund) => `${refund.amount} ${refund.currency} of ${refund.payment_intent}: ${refund.status}`',
  RefundCreateParams: `const params: RefundCreateParams = {
  payment_intent: 'pi_0190b2c51d207e4c8f3a6b7d92e05c14',
  amount: 2000,
  reason: 'requested_by_customer',
  destination: { mtn_momo_cm: { msisdn: '237670000001' } },
}`,
  RefundFailure: "const isOurs = (failure: RefundFailure) => failure === 'rail_misconfigured'",
  RefundListParams:
    "const params: RefundListParams = { payment_intent: 'pi_0190b2c51d207e4c8f3a6b7d92e05c14', limit: 50 }",
  RefundReason: "const reason: RefundReason = 'requested_by_customer'",
  Refunds: "const readOnly: Pick<Refunds, 'list' | 'retrieve'> = payments.refunds",
  RefundStatus: "const isUnderWay = (status: RefundStatus) => status === 'pending'",
  RefundUpdateParams: "const params: RefundUpdateParams = { metadata: { ticket: '4711', draft: '' } }",
}

/** An example for each type of the payer's client. */
export const payerUsage: Readonly<Record<string, string>> = {
  BrowserIntent:
    "const isUnderWay = (intent: BrowserIntent) => intent.status === 'processing' || intent.live_charge !== null",
  BrowserSession: "const isOver = (session: BrowserSession) => session.status !== 'open'",
  Currency: 'const digits: Record<Currency, number> = { XAF: 0, EUR: 2 }',
  DeclineCode:
    "const wantsOtherNumber = (code: DeclineCode) => code === 'payer_not_found' || code === 'payer_inactive'",
  LocalizedText: "const nameOf = (rail: RailOffer, locale: 'fr' | 'en') => rail.name[locale]",
  RailOffer: "const asksForNumber = (rail: RailOffer) => rail.instrument === 'msisdn'",
}
