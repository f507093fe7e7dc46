import type { Currency } from '../../../src/wire.ts'
import { languageOf, type Locale } from './languages.ts'

/**
 * Formats an amount as in Cameroon, the francs after the number in both languages. It builds the major unit
 * from digits and never from floating-point numbers (spec 1.3).
 */
export function amountText(amountMinor: number, currency: Currency, locale: Locale): string {
  // XAF has no minor unit. The space before the currency may break a line; those within the number may not.
  if (currency === 'XAF') return `${new Intl.NumberFormat(languageOf(locale).tag).format(amountMinor)} FCFA`
  const text = String(amountMinor).padStart(3, '0')
  const major = `${text.slice(0, -2)}.${text.slice(-2)}`
  const format = new Intl.NumberFormat(languageOf(locale).tag, { style: 'currency', currency })
  // Browsers format decimal strings exactly, but the type accepts only numbers.
  return format.format(major as unknown as number).replace('\u00a0', ' ')
}
