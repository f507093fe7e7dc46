import { type CompiledQuery, type QueryResult, type RawBuilder, sql } from 'kysely'
import type { Reader, Writer } from './database.ts'

/** The place of a value in a statement. */
class Place {
  readonly name: string
  constructor(name: string) {
    this.name = name
  }
}

/** Puts the place of a value into the text. A statement may use a value several times. */
export type Placing<Values> = <Name extends keyof Values & string>(name: Name) => RawBuilder<Values[Name]>

/** What Kysely's query builders and `sql` have in common. */
export interface Compilable<Row> {
  compile(provider: Writer): CompiledQuery<Row>
}

/** Runs a statement with its values. */
export type Statement<Values, Row> = (on: Reader | Writer, values: Values) => Promise<readonly Row[]>

/**
 * A statement whose text never changes. Kysely builds and compiles it at the first run only. Later runs put their
 * values in its places (docs/decisions/0022).
 *
 * @param build gives the statement, with `value(name)` in place of each value
 * @throws TypeError at each run, if a value is given directly: the first run would fix it for all others
 *
 * @example
 * const findLease = statement((value: Placing<{ name: string }>, reader) =>
 *   reader.selectFrom('leases').select('holder').where('name', '=', value('name')),
 * )
 * const [lease] = await findLease(db.reader, { name: 'sweeper' })
 */
export function statement<Values extends object, Row>(
  build: (value: Placing<Values>, reader: Reader) => Compilable<Row>,
): Statement<Values, Row> {
  let compiled: CompiledQuery | undefined
  let places: readonly (keyof Values)[] = []
  const compile = (provider: Writer): CompiledQuery => {
    const place = (name: string) => sql<never>`${new Place(name)}`
    const made = build(place, provider as unknown as Reader).compile(provider)
    places = made.parameters.map((parameter) => {
      if (parameter instanceof Place) return parameter.name as keyof Values
      throw new TypeError(
        'a value of a statement is not given by its name, so it would be kept for later runs',
      )
    })
    return made
  }
  return async (on, values) => {
    // Kysely hides the executor of what it types as read-only.
    const provider = on as unknown as Writer
    compiled ??= compile(provider)
    const query = { ...compiled, parameters: places.map((name) => values[name]) }
    const { rows }: QueryResult<Row> = await provider.getExecutor().executeQuery<Row>(query)
    return rows
  }
}

/** Makes what depends on `shape` once for each shape. There must be few: they are kept. */
export function forEachShape<Shape extends object, Made>(
  make: (shape: Shape) => Made,
): (shape: Shape) => Made {
  const made = new Map<string, Made>()
  return (shape) => {
    const key = JSON.stringify(shape)
    const known = made.get(key)
    if (known !== undefined) return known
    const fresh = make(shape)
    made.set(key, fresh)
    return fresh
  }
}
