/**
 * Only a plain word or a short code may be logged, because a rail's free text can contain a phone number or a
 * name.
 */
export const plainWord = (code: unknown): string | null =>
  typeof code === 'string' && /^(?:[A-Za-z_]{1,64}|\d{1,4})$/.test(code) ? code : null
