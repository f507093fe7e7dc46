import { Refusal } from '@merchant-payments/contract'
import type { Brand } from './brand.ts'

/** Twelve digits, country code first, no `+`: the only form in which a number is stored or given to a rail. */
export type Msisdn = Brand<string, 'Msisdn'>

const canonical = /^[1-9]\d{11}$/
const allowed = /^\+?[\d .\-/()]+$/

/** docs/spec-gaps.md: the 64 characters of a customer's phone, each of which may be a surrogate pair. */
const SPELLING_UNITS_MAX = 128

/**
 * Spec 2.2: one canonical form, whatever spelling was sent. Serves customers, confirm, refunds and the look-up.
 * A twelve-digit number is already international; nine digits take the deployment's country code; an operator's
 * prefix is never a gate, because numbers are portable.
 *
 * @param defaultCountryCode the deployment's `phone.default_country_code`, such as `237`
 * @param param the request parameter that a refusal names
 */
export function parseMsisdn(input: string, defaultCountryCode: string, param: string): Msisdn {
  // Before anything else: to normalise a run of combining marks takes time that grows with its square.
  if (input.length > SPELLING_UNITS_MAX) throw badNumber(param)
  const text = asciiDigits(input.normalize('NFKC')).trim().replace(/^tel:/i, '').trimStart()
  if (!allowed.test(text)) throw badNumber(param)
  const dialled = text.replace(/[ .\-/()]/g, '')
  const digits = international(dialled, defaultCountryCode)
  if (!canonical.test(digits)) throw badNumber(param)
  return digits as Msisdn
}

/** Reads a number that this service stored, hence already canonical. */
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

// Decimal digits of other scripts sit in runs of ten that begin at a code point whose numeric value is zero.
const zeros = [0x0660, 0x06f0, 0x07c0, 0x0966, 0x09e6, 0x0e50] as const

function asciiDigits(text: string): string {
  return text.replace(/\p{Nd}/gu, (digit) => {
    const point = digit.codePointAt(0) ?? 0
    const zero = zeros.find((start) => point >= start && point < start + 10)
    return zero === undefined ? digit : String(point - zero)
  })
}
