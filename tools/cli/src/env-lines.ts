import { exitCodes, Failure } from './failure.ts'

/** Unquoted, a reader of .env files would end the value there, or drop a part of it. */
const NEEDS_QUOTES = /[#'"`\r\n]|^\s|\s$/

/** The best is first: between double quotes readers replace `\n`. No reader knows an escape for a quote. */
const QUOTES = ["'", '`', '"']

/**
 * The lines of a .env file.
 *
 * @throws {Failure} if a value has quotes of each kind
 */
export const envLines = (variables: Readonly<Record<string, string | undefined>>): string[] =>
  Object.entries(variables).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${envValue(name, value)}`],
  )

function envValue(name: string, value: string): string {
  if (!NEEDS_QUOTES.test(value)) return value
  const quote = QUOTES.find((one) => !value.includes(one))
  if (quote !== undefined) return `${quote}${value}${quote}`
  throw new Failure(`a .env file cannot hold ${name}, which has quotes of each kind`, exitCodes.usage)
}
