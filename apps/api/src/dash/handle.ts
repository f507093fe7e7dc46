import type { Operation } from '@merchant-payments/contract'
import type { Changed, Staff, StaffRequest } from '@merchant-payments/core'
import type { z } from 'zod'

type Parsed<S> = NonNullable<S> extends z.ZodType ? z.output<NonNullable<S>> : undefined

/** What a handler of /dash/v1 receives: a staff member whose role reaches, and parameters of the operation's types. */
interface StaffRead<Op extends Operation> {
  readonly staff: Staff
  readonly params: Parsed<Op['params']>
  readonly query: Parsed<Op['query']>
  readonly body: Parsed<Op['body']>
}

interface StaffChange<Op extends Operation> {
  readonly request: StaffRequest
  readonly params: Parsed<Op['params']>
  readonly body: Parsed<Op['body']>
}

export type DashRoute = ReadRoute | ChangeRoute

interface ReadRoute {
  readonly kind: 'read'
  readonly operation: Operation
  readonly run: (call: StaffRead<Operation>) => Promise<object>
}

interface ChangeRoute {
  readonly kind: 'change'
  readonly operation: Operation
  readonly run: (change: StaffChange<Operation>) => Promise<Changed>
}

/** What is answered; of a list, one that need not be changed. */
type Answer<T> = T extends { data: (infer Item)[] } ? Omit<T, 'data'> & { readonly data: readonly Item[] } : T

type Ok<Op extends Operation> = Answer<z.input<Op['ok']['schema']>> & object

/** A GET, or a POST of a question that belongs in no address. */
export const read = <Op extends Operation>(
  operation: Op,
  run: (call: StaffRead<Op>) => Promise<Ok<Op>>,
): DashRoute => ({ kind: 'read', operation, run: run })

/** A POST, which answers with its entry in the audit log. */
export const change = <Op extends Operation>(
  operation: Op,
  run: (change: StaffChange<Op>) => Promise<Changed>,
): DashRoute => ({ kind: 'change', operation, run })
