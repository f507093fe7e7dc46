/** A lifecycle table gives each state its moves and their targets. A target that is not a state does not compile. */
export const lifecycle = <const T extends Record<string, Record<string, keyof T & string>>>(table: T): T =>
  table

type Table = Record<string, Record<string, string>>

/** The moves legal from S. For a union of states, only the moves that all of them have: narrow the row first. */
export type MoveFrom<T extends Table, S extends keyof T> = keyof T[S] & string

export type Target<T extends Table, S extends keyof T, M> = S extends unknown
  ? M extends keyof T[S]
    ? T[S][M]
    : never
  : never

export type AnyMove<T extends Table> = { [S in keyof T]: keyof T[S] & string }[keyof T]

/** @throws Error if the state has no such move, which the types of a narrowed row rule out */
export function targetOf<T extends Record<string, Record<string, keyof T & string>>>(
  table: T,
  from: keyof T & string,
  move: string,
  noun: string,
): keyof T & string {
  const target = table[from]?.[move]
  if (target === undefined) throw new Error(`${noun} that is ${from} cannot ${move}`)
  return target
}

/** Every legal change of state as `from>to`, the form in which the database's trigger lists them. */
export const changesOf = (table: Table): string[] =>
  Object.entries(table)
    .flatMap(([from, moves]) => Object.values(moves).map((to) => ({ from, to })))
    .filter(({ from, to }) => from !== to)
    .map(({ from, to }) => `${from}>${to}`)
    .filter((change, at, all) => all.indexOf(change) === at)
    .sort()
