/** Levels of causes below a cause that are kept. */
const LEVELS_MAX = 4

/**
 * A copy of an error with its name, message, code, stack and causes alone. Parsers of HTTP put the bytes of an answer, such
 * as an access token, on their errors. HTTP clients put the headers of the request there.
 */
export function bareCause(cause: unknown, levels = LEVELS_MAX): unknown {
  if (typeof cause !== 'object' || cause === null) return cause
  const { name = 'Error', message, code, stack, cause: below } = cause as Partial<Error & { code: unknown }>
  const copy = new Error(
    message,
    below === undefined || levels === 0 ? undefined : { cause: bareCause(below, levels - 1) },
  )
  Object.defineProperties(copy, { name: { value: name }, stack: { value: stack } })
  return typeof code === 'string' ? Object.assign(copy, { code }) : copy
}
