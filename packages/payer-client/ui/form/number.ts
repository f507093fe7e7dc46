/** Code points of the zeros whose digits the API reads, besides ASCII (spec 2.2). */
const ZEROS = [0x0660, 0x06f0, 0x07c0, 0x0966, 0x09e6, 0x0e50] as const

/** Writes digits of other scripts in ASCII, as the API reads them, and leaves everything else as it is. */
export const asciiDigits = (text: string): string =>
  text.replace(/\p{Nd}/gu, (digit) => {
    const point = digit.codePointAt(0) ?? 0
    const zero = ZEROS.find((start) => point >= start && point < start + 10)
    return zero === undefined ? digit.normalize('NFKC') : String(point - zero)
  })

/** Puts a plus in brackets before them, `(+237)`, where the API reads it. */
export const plusFirst = (text: string): string => text.replace(/\(\s*\+/, '+(')

/** The digits of a number in any spelling. */
export interface NumberRead {
  readonly digits: string
  readonly hasCountryCode: boolean
}

const NATIONAL_DIGITS = 9
const CANONICAL_DIGITS = 12

export function readNumber(written: string): NumberRead {
  const text = plusFirst(asciiDigits(written)).trim().replace(/^tel:/i, '').trimStart()
  const digits = text.replace(/\D/g, '')
  if (text.startsWith('+')) return { digits, hasCountryCode: true }
  if (digits.startsWith('00')) return { digits: digits.slice(2), hasCountryCode: true }
  return { digits, hasCountryCode: digits.length > NATIONAL_DIGITS }
}

/** True if the number has as many digits as the API asks for. The API alone decides whether it is valid. */
export const isWhole = ({ digits, hasCountryCode }: NumberRead): boolean =>
  digits.length === (hasCountryCode ? CANONICAL_DIGITS : NATIONAL_DIGITS)
