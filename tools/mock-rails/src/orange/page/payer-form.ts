/** The payer's input, checked as on Orange's page: the number canonical, the code well-formed. */
export type PayerForm =
  | { readonly msisdn: string }
  | { readonly typed: string; readonly isNumberWrong: boolean; readonly isOtpWrong: boolean }

const COUNTRY_CODE = '237'
/** A scenario that was picked pays from this number with the scenario's ending. */
const PICKED = `${COUNTRY_CODE}690000`

export function parsePayerForm(form: URLSearchParams): PayerForm {
  const picked = form.get('scenario') ?? ''
  if (/^\d{3}$/.test(picked)) return { msisdn: `${PICKED}${picked}` }
  const typed = form.get('msisdn') ?? ''
  const msisdn = canonicalNumber(typed)
  // Any code is accepted, because the number selects the scenario.
  const isOtpWrong = !/^\d{4,6}$/.test((form.get('otp') ?? '').trim())
  if (msisdn !== undefined && !isOtpWrong) return { msisdn }
  return { typed, isNumberWrong: msisdn === undefined, isOtpWrong }
}

/** Nine digits in common spellings, with or without the country code. */
function canonicalNumber(typed: string): string | undefined {
  const digits = typed.replace(/[\s.()/-]/g, '').replace(/^(\+|00)(?=237)/, '')
  const national = digits.replace(/^237(?=\d{9}$)/, '')
  return /^6\d{8}$/.test(national) ? `${COUNTRY_CODE}${national}` : undefined
}
