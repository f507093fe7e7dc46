type Cell = string | number | boolean | Date | null | undefined | readonly string[] | Texts | readonly Texts[]
type Texts = Readonly<Record<string, string>>

/**
 * The rows of a batch, as the argument of `json_to_recordset`, which reads an absent key as null. Most columns of a
 * transition are null. PostgreSQL read 100 rows in 1.7 ms without them, in 2.0 ms with them, and in 2.5 ms with
 * `jsonb_to_recordset`, whose value it builds first. The types refuse nested values that could hold a null.
 *
 * @example sql`json_to_recordset(${rowsJson(rows)}::json) as t (id uuid, status text)`
 */
export const rowsJson = <Row extends { readonly [Column in keyof Row]: Cell }>(
  rows: readonly Row[],
): string => JSON.stringify(rows.map(withoutNulls))

/** A replacer of `JSON.stringify` is called for each value, which took twice the time. */
function withoutNulls(row: object): object {
  const present: Record<string, unknown> = {}
  for (const name in row) {
    const value = row[name as keyof typeof row]
    if (value !== null) present[name] = value
  }
  return present
}
