/**
 * Names columns of a joined table for a query. A prepared statement that expands rows (`*`) fails once a later
 * release adds a column, so every query names what it reads.
 */
export const columnsIn = <Alias extends string, Column extends string>(
  alias: Alias,
  columns: readonly Column[],
) => columns.map((column) => `${alias}.${column}` as const)
