import type { CheckoutSessionCreateParams, MerchantPayments } from '@merchant-payments/node-sdk'
import type { Order } from './orders.ts'
import type { Settings } from './settings.ts'

export type Mode = 'hosted' | 'embedded'

interface Deps {
  readonly payments: MerchantPayments
  readonly settings: Settings
  /** This shop's origin. */
  readonly origin: string
}

/**
 * Opens a checkout session for an order. The order's number is the key, so a retry within 24 hours returns the same
 * session. The order then keeps the session.
 */
export async function openCheckout(
  { payments, settings, origin }: Deps,
  order: Order,
  mode: Mode,
): Promise<string> {
  const orderUrl = `${origin}/orders/${order.id}`
  const session = await payments.checkout.sessions.create(
    {
      amount: order.amount,
      currency: 'XAF',
      payment_method_types: settings.rails,
      client_reference_id: order.id,
      ...pagesOf(mode, orderUrl),
    },
    { idempotencyKey: `checkout-${order.id}` },
  )
  const payUrl = mode === 'hosted' ? session.url : `${orderUrl}/pay`
  if (payUrl === null) throw new Error('the hosted session has no page')
  const clientSecret = mode === 'embedded' ? (session.client_secret ?? null) : null
  order.session = { paymentIntent: session.payment_intent, payUrl, clientSecret }
  return payUrl
}

const pagesOf = (mode: Mode, orderUrl: string): Partial<CheckoutSessionCreateParams> =>
  mode === 'hosted'
    ? { ui_mode: 'hosted', success_url: orderUrl, cancel_url: orderUrl }
    : { ui_mode: 'embedded', return_url: `${orderUrl}/pay` }
