import { asciiDigits } from '../number.ts'
import { unbroken } from './unbroken.ts'

/** Masks a number so that its owner still recognizes it, in any spelling: `6 •• •• •• 27`. */
export function maskedNumber(written: string): string {
  const digits = asciiDigits(written).replace(/\D/g, '')
  const national = digits.length > 9 ? digits.slice(-9) : digits
  return unbroken(`${national.slice(0, 1)} •• •• •• ${national.slice(-2)}`)
}

/** Eight digits or more, which may be a payer's number. */
const LONG_NUMBER = /\+?\d(?:[ .-]?\d){7,}/g

/** Masks each number in an operator's text, because others may see the screen. */
export const withMaskedNumbers = (text: string): string =>
  asciiDigits(text).replace(LONG_NUMBER, (number) => maskedNumber(number))
