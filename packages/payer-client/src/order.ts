/**
 * How the payer wants to pay: on a push rail, whose operator prompts the handset of `msisdn`, or on a
 * redirect rail, to whose page the payer is sent.
 *
 * @example
 * ```ts
 * const byHandset: PaymentOrder = { rail: 'mtn_momo_cm', msisdn: '6 70 00 00 01' }
 * const byPage: PaymentOrder = {
 *   rail: 'orange_money_cm',
 *   returnUrl: 'https://shop.example/thanks',
 *   redirect: (url) => location.assign(url),
 * }
 * ```
 */
export type PaymentOrder = PushOrder | RedirectOrder

/**
 * An order on a rail that prompts the payer's handset.
 *
 * @example
 * ```ts
 * const order: PushOrder = { rail: 'mtn_momo_cm', msisdn: form.number, locale: 'fr' }
 * ```
 */
export interface PushOrder {
  /** One of the intent's `payment_method_types`. */
  readonly rail: string
  /** In any spelling; only the service knows the canonical one. */
  readonly msisdn: string
  /** The language of the rail's texts. */
  readonly locale?: 'fr' | 'en' | undefined
}

/**
 * An order on a rail that has its own page.
 *
 * @example
 * ```ts
 * const order: RedirectOrder = { rail: 'orange_money_cm', returnUrl: location.href, redirect: (url) => location.assign(url) }
 * ```
 */
export interface RedirectOrder {
  /** One of the intent's `payment_method_types`. */
  readonly rail: string
  /** The address to which the rail's page returns the payer. Call `resume` there. It must contain no secret. */
  readonly returnUrl: string
  /** Sends the payer to the rail's page. */
  readonly redirect: (url: string) => void
  /** The language of the rail's page. */
  readonly locale?: 'fr' | 'en' | undefined
}

/** The form of a confirm (spec 2.1). */
export function encodeOrder(order: PaymentOrder): string {
  const { rail, locale } = order
  if (!/^\w+$/.test(rail)) throw new TypeError('rail must be the code of a rail')
  const isPush = 'msisdn' in order
  const isWhole = isPush
    ? typeof order.msisdn === 'string'
    : typeof order.redirect === 'function' && typeof order.returnUrl === 'string'
  if (!isWhole) {
    throw new TypeError('an order needs an msisdn, or returnUrl and redirect')
  }
  const instrument = isPush
    ? `[${rail}][msisdn]=${encodeURIComponent(order.msisdn)}`
    : `[type]=${rail}&return_url=${encodeURIComponent(order.returnUrl)}`
  return `payment_method_data${instrument}${locale === undefined ? '' : `&locale=${locale}`}`
}
