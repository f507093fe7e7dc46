import type { Currency } from '@merchant-payments/contract'
import type { Locale } from '../wire/types.ts'

/** Spec 1.3: XAF has no minor unit. */
const digits: Readonly<Record<Currency, number>> = { XAF: 0, EUR: 2 }

/**
 * Formats an amount as in Cameroon. It builds the major unit from digits and never from floating-point
 * numbers (spec 1.3).
 */
export function amountText(amountMinor: number, currency: Currency, locale: Locale): string {
  const fraction = digits[currency]
  const text = String(amountMinor).padStart(fraction + 1, '0')
  const cut = text.length - fraction
  const major = fraction === 0 ? text : `${text.slice(0, cut)}.${text.slice(cut)}`
  const format = new Intl.NumberFormat(`${locale}-CM`, { style: 'currency', currency })
  // Browsers format decimal strings exactly, but the type accepts only numbers. The space before the currency
  // may break a line; those within the number may not.
  return format.format(major as unknown as number).replace('\u00a0', ' ')
}
