import type { MerchantPayments } from '@merchant-payments/node-sdk'
import type { Stack } from '@merchant-payments/stack'
import { openShop } from '../../checkout/stack/shop.ts'

/** The objects that staff look at. */
export interface World {
  readonly payments: MerchantPayments
  /** Succeeded, partly refunded, billed to a customer. */
  readonly paid: string
  readonly declined: string
  /** Its payer was prompted and does not answer. */
  readonly waiting: string
  readonly customer: string
  readonly invoice: string
}

const APPROVES = '670000001'
const LACKS_FUNDS = '670000470'
const DOES_NOT_ANSWER = '670000000'

/** Makes one object of each kind with the SDK, as a merchant does. */
export async function makeWorld(stack: Stack): Promise<World> {
  const { payments } = await openShop(stack)
  const rail = stack.mockRails.pushRail
  const { id: customer } = await payments.customers.create({
    name: 'Aïcha Nkeng',
    phone: '+237 670 00 00 01',
    email: 'aicha@shop.example',
    metadata: { tier: 'gold' },
  })
  const pay = async (amount: number, msisdn: string, description: string) => {
    const { id } = await payments.paymentIntents.create({
      amount,
      currency: 'XAF',
      payment_method_types: [rail],
      customer,
      description,
      metadata: { order: `A-${amount}` },
    })
    await payments.paymentIntents.confirm(id, { payment_method_data: { [rail]: { msisdn } } })
    return id
  }
  const paid = await pay(12_500, APPROVES, 'Two bags of rice')
  const declined = await pay(48_000, LACKS_FUNDS, 'A bicycle')
  const waiting = await pay(2_750, DOES_NOT_ANSWER, 'Coffee')
  await until(async () => (await payments.paymentIntents.retrieve(paid)).status === 'succeeded')
  await until(async () => (await payments.paymentIntents.retrieve(declined)).last_payment_error !== null)
  await payments.refunds.create({
    payment_intent: paid,
    amount: 2_500,
    reason: 'requested_by_customer',
    destination: { [rail]: { msisdn: APPROVES } },
  })

  const invoice = await payments.invoices.create({ customer, currency: 'XAF', payment_method_types: [rail] })
  await payments.invoiceItems.create({
    customer,
    invoice: invoice.id,
    amount: 6_000,
    currency: 'XAF',
    description: 'Delivery in Bonapriso',
  })
  await payments.invoices.finalizeInvoice(invoice.id)
  return { payments, paid, declined, waiting, customer, invoice: invoice.id }
}

const STEP_MS = 100
const STEPS_MAX = 600

export async function until(isSo: () => Promise<boolean>): Promise<void> {
  for (let step = 0; step < STEPS_MAX; step += 1) {
    if (await isSo()) return
    await new Promise((done) => setTimeout(done, STEP_MS))
  }
  throw new Error('timed out waiting for the state')
}
