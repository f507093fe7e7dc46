/**
 * Matches a rail's error code, but neither a payer's number nor a sentence. A rail may write either into the field of
 * its code. For JavaScript and PostgreSQL.
 */
export const CODE_SHAPE = '^([A-Za-z][A-Za-z_-]{0,63}|[0-9]{1,6})$'

const shape = new RegExp(CODE_SHAPE)

/** For places that no erasure reaches: log lines, items for staff, files. Null for anything but a plain code. */
export const plainCode = (code: unknown): string | null =>
  typeof code === 'string' && shape.test(code) ? code : null
