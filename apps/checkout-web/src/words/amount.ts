import type { Currency } from '@merchant-payments/contract'
import type { Locale } from '../wire/types.ts'

/** Spec 1.3: XAF has no minor unit. */
const digits: Readonly<Record<Currency, number>> = { XAF: 0, EUR: 2 }

/** As people in Cameroon write it. The major unit is made of digits, never of floating-point numbers (spec 1.3). */
export function amountText(amountMinor: number, currency: Currency, locale: Locale): string {
  const fraction = digits[currency]
  const text = String(amountMinor).padStart(fraction + 1, '0')
  const cut = text.length - fraction
  const major = fraction === 0 ? text : `${text.slice(0, cut)}.${text.slice(cut)}`
  const format = new Intl.NumberFormat(`${locale}-CM`, { style: 'currency', currency })
  // Browsers format decimal strings exactly; the type knows numbers only.
  // A line may end between a sum and its currency, and so never within the sum.
  return format.format(major as unknown as number).replace('\u00a0', ' ')
}
