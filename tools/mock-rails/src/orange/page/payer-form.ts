/** What the payer typed, checked as Orange's page would: the number canonical, the code well-formed. */
export type PayerForm =
  | { readonly msisdn: string }
  | { readonly typed: string; readonly isNumberWrong: boolean; readonly isOtpWrong: boolean }

const COUNTRY_CODE = '237'

export function parsePayerForm(form: URLSearchParams): PayerForm {
  const typed = form.get('msisdn') ?? ''
  const msisdn = canonicalNumber(typed)
  // Any code does: it is the number that chooses the scenario.
  const isOtpWrong = !/^\d{4,6}$/.test((form.get('otp') ?? '').trim())
  if (msisdn !== undefined && !isOtpWrong) return { msisdn }
  return { typed, isNumberWrong: msisdn === undefined, isOtpWrong }
}

/** Nine digits as people write them, with or without the country code in any of its spellings. */
function canonicalNumber(typed: string): string | undefined {
  const digits = typed.replace(/[\s.()/-]/g, '').replace(/^(\+|00)(?=237)/, '')
  const national = digits.replace(/^237(?=\d{9}$)/, '')
  return /^6\d{8}$/.test(national) ? `${COUNTRY_CODE}${national}` : undefined
}
