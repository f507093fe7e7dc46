import { Refusal } from '@merchant-payments/contract'
import type { Brand } from './brand.ts'

/** Twelve digits, country code first, no `+`. A number is stored and sent to rails only in this form. */
export type Msisdn = Brand<string, 'Msisdn'>

const canonical = /^[1-9]\d{11}$/
const allowed = /^\+?[\d .\-/()]+$/

/** docs/spec-gaps.md: a customer's phone has up to 64 characters, each of which may be a surrogate pair. */
const SPELLING_UNITS_MAX = 128

/**
 * Spec 2.2: parses any accepted spelling. Twelve digits are already international; nine take the deployment's country
 * code. Operators' prefixes are not checked, because numbers are portable.
 *
 * @param defaultCountryCode the deployment's `phone.default_country_code`, such as `237`
 * @param param the request parameter that a refusal names
 */
export function parseMsisdn(input: string, defaultCountryCode: string, param: string): Msisdn {
  const digits = international(dialledIn(input) ?? '', defaultCountryCode)
  if (!canonical.test(digits)) throw badNumber(param)
  return digits as Msisdn
}

/** The digits of a number or of a part of one, behind a plus if it has one. Null if the text has anything but separators beside them. */
export function dialledIn(input: string): string | null {
  // The length is checked first, because normalising a run of combining marks takes quadratic time.
  if (input.length > SPELLING_UNITS_MAX) return null
  const text = asciiDigits(visible(input.normalize('NFKC')))
    .trim()
    .replace(/^tel:/i, '')
    .trimStart()
  return allowed.test(text) ? text.replace(/[ .\-/()]/g, '') : null
}

/**
 * Contacts and chat apps add invisible direction marks, and replace hyphens by other dashes. This removes the marks
 * and restores the hyphens.
 */
const visible = (text: string): string => text.replaceAll(/\p{Cf}/gu, '').replaceAll(/[\p{Pd}\u2212]/gu, '-')

/** Null if the stored text is no number: the rail takes none, or an erasure has redacted it. */
export const msisdnIn = (stored: string | null): Msisdn | null =>
  stored !== null && /^\d+$/.test(stored) ? storedMsisdn(stored) : null

export const storedMsisdn = (stored: string): Msisdn => stored as Msisdn

function international(dialled: string, defaultCountryCode: string): string {
  if (dialled.startsWith('+')) return dialled.slice(1)
  if (dialled.startsWith('00')) return dialled.slice(2)
  return dialled.length === 9 ? defaultCountryCode + dialled : dialled
}

const badNumber = (param: string) =>
  new Refusal('invalid_request', 'must be a phone number with a country code, such as +237 6 70 00 00 01', {
    param,
  })

// Unicode holds the decimal digits of a script in a run of ten. These are the code points of the zeros.
const zeros = [0x0660, 0x06f0, 0x07c0, 0x0966, 0x09e6, 0x0e50] as const

function asciiDigits(text: string): string {
  return text.replace(/\p{Nd}/gu, (digit) => {
    const point = digit.codePointAt(0) ?? 0
    const zero = zeros.find((start) => point >= start && point < start + 10)
    return zero === undefined ? digit : String(point - zero)
  })
}
