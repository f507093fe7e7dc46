/** The key of a row, after its customer and merchant, as text. */
export type RowKey = readonly string[]

/** A row that a step looked at: whether nothing of the customer is left in it. */
export interface Looked {
  readonly key: RowKey
  readonly done: boolean
}

/** What a step did to the rows of one table. */
export interface Cleared {
  readonly rows: number
  readonly bytes: number
  /** The last row up to which all are done; null before the first. */
  readonly clearedTo: RowKey | null
  /** `held`: the next row is locked by somebody else. */
  readonly next: 'table' | 'page' | 'held'
}

/** Where the next step goes on: rows behind one that somebody holds are looked at again. */
export function progressOf(rows: readonly Looked[], isLast: boolean, from: RowKey | null) {
  const held = rows.findIndex(({ done }) => !done)
  if (held >= 0) return { clearedTo: rows[held - 1]?.key ?? from, next: 'held' as const }
  return { clearedTo: rows.at(-1)?.key ?? from, next: isLast ? ('table' as const) : ('page' as const) }
}
