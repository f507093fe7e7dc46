import * as contract from '@merchant-payments/contract'
import type { Operation, Surface } from '@merchant-payments/contract'
import type { z } from 'zod'

type Contract = typeof contract

/** The operations that the contract declares for a surface, by export name. */
export type OperationsOf<S extends Surface> = {
  readonly [Name in keyof Contract as Contract[Name] extends Operation & { readonly surface: S }
    ? Name
    : never]: Contract[Name]
}

/** The parsed type of a declaration; undefined if the operation declares none. */
export type Parsed<S> = NonNullable<S> extends z.ZodType ? z.output<NonNullable<S>> : undefined

/** Allows a handler to return a read-only list. */
type ReadonlyList<T> = T extends { data: (infer Item)[] }
  ? Omit<T, 'data'> & { readonly data: readonly Item[] }
  : T

/** The object that an operation returns. */
export type Ok<Op extends Operation> = ReadonlyList<z.input<Op['ok']['schema']>> & object

/** Pairs each operation of a surface with its handler. The table's type requires a handler for each. */
export const withHandlers = <Table extends Readonly<Record<string, unknown>>>(
  surface: Surface,
  handlers: Table,
): { readonly operation: Operation; readonly handler: Table[keyof Table] }[] =>
  Object.entries<unknown>(contract).flatMap(([name, operation]) =>
    contract.isOperation(operation) && operation.surface === surface
      ? [{ operation, handler: handlers[name as keyof Table] }]
      : [],
  )
