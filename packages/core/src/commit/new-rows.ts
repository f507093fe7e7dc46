import type { Schema } from '@merchant-payments/db'
import { type Insertable, sql } from 'kysely'
import type { Part } from '../base/columns.ts'
import type { Metadata } from '../base/metadata.ts'

type Table = keyof Schema
type PgType = 'boolean' | 'integer' | 'jsonb' | 'smallint' | 'text' | 'text[]' | 'timestamptz' | 'uuid'

/** The columns of a new row, with the types with which PostgreSQL reads them from JSON. */
export interface NewRows<T extends Table = Table, Column extends string = string> {
  readonly table: T
  readonly columns: Readonly<Record<Column, PgType>>
}

export const newRows = <T extends Table, Column extends keyof Insertable<Schema[T]> & string>(
  table: T,
  columns: Readonly<Record<Column, PgType>>,
): NewRows<T, Column> => ({ table, columns })

export type NewRow<Rows> =
  Rows extends NewRows<infer T, infer Column>
    ? {
        readonly [C in Column]: C extends 'metadata'
          ? Metadata
          : C extends keyof Insertable<Schema[T]>
            ? Readonly<Insertable<Schema[T]>[C]>
            : never
      }
    : never

type Columns = Readonly<Record<string, PgType>>

export const namesOf = (columns: Columns): Part => sql.raw(Object.keys(columns).join(', '))

export const typesOf = (columns: Columns): Part =>
  sql.raw(
    Object.entries(columns)
      .map(([name, type]) => `${name} ${type}`)
      .join(', '),
  )

export const insertRow = <T extends Table, Column extends string>(
  { table, columns }: NewRows<T, Column>,
  row: NewRow<NewRows<T, Column>>,
  from: Part,
): Part => sql`
  insert into ${sql.table(table)} (${namesOf(columns)})
  select new_row.* from ${from}, jsonb_to_record(${JSON.stringify(row)}::jsonb) as new_row (${typesOf(columns)})`
