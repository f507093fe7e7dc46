/** Masks a number so that its owner still recognizes it, in any spelling: `6 •• •• •• 27`. */
export function maskedNumber(written: string): string {
  const digits = written.normalize('NFKC').replaceAll(/\D/g, '')
  const national = digits.length > 9 ? digits.slice(-9) : digits
  return `${national.slice(0, 1)} •• •• •• ${national.slice(-2)}`.replaceAll(' ', '\u00a0')
}
