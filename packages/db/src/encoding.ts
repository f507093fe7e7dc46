/** How a database stores text. It is decided when the database is created. */
export interface Encoding {
  readonly encoding: string
  /** Whether `lower('Ï')` is `ï`. If not, searches find names with accents only in the same case. */
  readonly foldsAccents: boolean
}

/** The columns of an {@link Encoding}. `convert_from` is not evaluated for an encoding that may lack the letter. Its result is of the locale C. */
export const encodingColumns = `current_setting('server_encoding') as encoding,
  case when current_setting('server_encoding') = 'UTF8'
    then lower(convert_from('\\xc38f', 'UTF8') collate "default") = convert_from('\\xc3af', 'UTF8') else false end as "foldsAccents"`

/** docs/operations.md, "Database roles", has the statement with its roles. */
const CREATE =
  "create it by `create database … template template0 encoding 'UTF8' locale_provider builtin builtin_locale 'C.UTF-8'`"

export class WrongEncodingError extends Error {
  override readonly name = 'WrongEncodingError'
  readonly code = 'wrong_encoding'

  constructor(fault: string) {
    super(`${fault}: ${CREATE}`)
  }
}

/**
 * In LATIN1 most texts of merchants cannot be stored, and in SQL_ASCII a length counts bytes.
 *
 * @throws {WrongEncodingError}
 */
export function requireUtf8({ encoding }: Encoding): void {
  if (encoding !== 'UTF8') throw new WrongEncodingError(`the encoding of the database is ${encoding}`)
}

/**
 * For a new database alone: one that has payments already goes on without the search of accents.
 *
 * @throws {WrongEncodingError}
 */
export function requireFolding({ foldsAccents }: Encoding): void {
  if (!foldsAccents) throw new WrongEncodingError('the locale of the database does not know the case of Ï')
}
