import { REDACTED } from './redact.ts'

const CANONICAL = /^\d{12}$/
const NATIONAL_DIGITS = 9

/**
 * Masks a canonical number: enough is left for its owner to recognize it, too little to call it. Null for a text that is
 * no number, such as the mark of an erasure.
 */
export function maskedNumber(msisdn: string | null): string | null {
  if (msisdn === null || !CANONICAL.test(msisdn)) return null
  const national = msisdn.slice(-NATIONAL_DIGITS)
  return `${national.slice(0, 1)} •• •• •• ${national.slice(-2)}`
}

export const shownNumber = (msisdn: string | null): string | null =>
  msisdn === REDACTED ? REDACTED : maskedNumber(msisdn)
