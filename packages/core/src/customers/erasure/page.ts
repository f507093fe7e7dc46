/** The key of a row after its customer and merchant, as text. */
export type RowKey = readonly string[]

/** `done`: nothing of the customer is left in the row. */
export interface Looked {
  readonly key: RowKey
  readonly done: boolean
}

export interface Cleared {
  readonly rows: number
  readonly bytes: number
  /** The last row up to which all rows are done. Null before the first. */
  readonly clearedTo: RowKey | null
  readonly next: 'table' | 'page' | 'held'
}

/** Where the next step continues. Rows behind a locked one are examined again. */
export function progressOf(rows: readonly Looked[], isLast: boolean, from: RowKey | null) {
  const held = rows.findIndex(({ done }) => !done)
  if (held >= 0) return { clearedTo: rows[held - 1]?.key ?? from, next: 'held' as const }
  return { clearedTo: rows.at(-1)?.key ?? from, next: isLast ? ('table' as const) : ('page' as const) }
}
