import { asciiDigits } from '../number.ts'
import { unbroken } from './unbroken.ts'

/** Masks a number so that its owner still recognizes it, in any spelling: `6 •• •• •• 27`. */
export function maskedNumber(written: string): string {
  const national = asciiDigits(written).replace(/\D/g, '').slice(-9)
  return unbroken(`${national.slice(0, 1)} •• •• •• ${national.slice(-2)}`)
}

/** Eight digits or more, which may be a payer's number, with what the API takes between the digits of one (NFKC). */
const LONG_NUMBER = /\+?\d(?:[ ./()\p{Pd}\p{Cf}\u2212]*\d){7,}/gu

/** Masks each number in an operator's text, because others may see the screen. */
export const withMaskedNumbers = (text: string): string =>
  asciiDigits(text.normalize('NFKC')).replace(LONG_NUMBER, maskedNumber)
