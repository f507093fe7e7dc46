import type { EventType, MerchantPayments, PaymentIntent } from '@merchant-payments/node-sdk'
import { exitCodes, Failure } from './failure.ts'
import { outcomeOf, waitEnd } from './outcome.ts'

interface TriggerContext {
  readonly payments: MerchantPayments
  /** A push rail of the mock rails, whose payers decide by the last digits of their number. */
  readonly rail: string
}

/** Makes the change that writes the event. Returns the id of the object in it. */
type Recipe = (context: TriggerContext) => Promise<string>

/** An event that nobody can bring about, and why. */
interface Never {
  readonly never: string
}

/** Numbers of the mock rails: this one approves, the other refuses. */
const APPROVES = '237670000001'
const REFUSES = '237670000451'
const WAIT_SEC = 60
const AMOUNT = { amount: 2_500, currency: 'XAF' } as const

async function createIntent({ payments, rail }: TriggerContext): Promise<PaymentIntent> {
  const intent = await payments.paymentIntents.create({ ...AMOUNT, payment_method_types: [rail] })
  // Before anything is confirmed: an intent alone moves no money.
  if (intent.livemode)
    throw new Failure('this is livemode: trigger is for development systems', exitCodes.usage)
  return intent
}

async function confirm(
  { payments, rail }: TriggerContext,
  id: string,
  msisdn: string,
): Promise<PaymentIntent> {
  const confirmed = await payments.paymentIntents.confirm(id, { payment_method_data: { [rail]: { msisdn } } })
  return outcomeOf(payments, confirmed, waitEnd(WAIT_SEC))
}

async function paidIntent(context: TriggerContext): Promise<string> {
  const { id } = await createIntent(context)
  const { status } = await confirm(context, id, APPROVES)
  if (status === 'succeeded') return id
  throw new Failure(
    `${id} is ${status}: do the mock rails of a development system answer?`,
    exitCodes.negative,
  )
}

async function refund(context: TriggerContext): Promise<string> {
  const { payments, rail } = context
  const intent = await paidIntent(context)
  const destination = { [rail]: { msisdn: APPROVES } }
  return (await payments.refunds.create({ payment_intent: intent, destination })).id
}

async function customer(context: TriggerContext): Promise<string> {
  // The intent proves that this is no livemode.
  await createIntent(context)
  return (await context.payments.customers.create({ name: 'Trigger of the command line' })).id
}

async function draft(context: TriggerContext): Promise<string> {
  const { payments, rail } = context
  const id = await customer(context)
  const invoice = { customer: id, currency: 'XAF', payment_method_types: [rail], days_until_due: 30 } as const
  return (await payments.invoices.create(invoice)).id
}

async function openInvoice(context: TriggerContext): Promise<string> {
  const { payments } = context
  const invoice = await draft(context)
  await payments.invoiceItems.create({ invoice, amount: AMOUNT.amount })
  return (await payments.invoices.finalizeInvoice(invoice)).id
}

/** How each type comes about on a development system. */
export const recipes: Readonly<Record<EventType, Recipe | Never>> = {
  'payment_intent.created': {
    never: 'The service never writes it: the answer to the create call reports it.',
  },
  'payment_intent.processing': {
    never: 'The service never writes it: the answer to the confirm call reports it.',
  },
  'payment_intent.succeeded': paidIntent,
  'payment_intent.payment_failed': async (context) => {
    const { id } = await createIntent(context)
    await confirm(context, id, REFUSES)
    return id
  },
  'payment_intent.canceled': async (context) => {
    const { id } = await createIntent(context)
    return (await context.payments.paymentIntents.cancel(id)).id
  },
  'charge.refunded': refund,
  'charge.refund.updated': async (context) => {
    const id = await refund(context)
    return (await context.payments.refunds.update(id, { metadata: { trigger: 'yes' } })).id
  },
  'checkout.session.expired': {
    never:
      'The hourly sweep writes it, once a session is half an hour old or more. A session that you expire writes nothing.',
  },
  'customer.created': customer,
  'customer.updated': async (context) => {
    const id = await customer(context)
    return (await context.payments.customers.update(id, { name: 'Trigger, updated' })).id
  },
  'customer.deleted': async (context) => {
    const id = await customer(context)
    await context.payments.customers.del(id)
    return id
  },
  'invoice.created': draft,
  'invoice.finalized': openInvoice,
  'invoice.paid': async (context) => {
    const id = await openInvoice(context)
    const { payment_intent: intent } = await context.payments.invoices.pay(id)
    await confirm(context, intent ?? '', APPROVES)
    return id
  },
  'invoice.voided': async (context) => {
    const id = await openInvoice(context)
    return (await context.payments.invoices.voidInvoice(id)).id
  },
}
