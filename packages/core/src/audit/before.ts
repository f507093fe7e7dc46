import type { AuditFacts } from './render.ts'

declare const held: unique symbol

/** A row that nobody changes before the commit: its transaction has locked it, or the statement of the change compared it. */
export type Held<Row> = Row & { readonly [held]: true }

/** For whoever locks, compares or removes the row. A row that was only read may change before the change is written. */
export const heldRow = <Row>(row: Row): Held<Row> => row as Held<Row>

export const heldIfFound = <Row>(row: Row | undefined): Held<Row> | undefined =>
  row === undefined ? undefined : heldRow(row)

export type Before = Held<AuditFacts>

export const beforeOf = <Row>(row: Held<Row>, factsOf: (row: Row) => AuditFacts): Before =>
  heldRow(factsOf(row))

/** Nothing, because the change creates its object. */
export const nothing: Before = heldRow({})
