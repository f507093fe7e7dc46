import type { Operation } from '@merchant-payments/contract'
import type { Changed, StaffReader, StaffRequest, Viewed } from '@merchant-payments/core'
import type { z } from 'zod'

type Parsed<S> = NonNullable<S> extends z.ZodType ? z.output<NonNullable<S>> : undefined

/** What a handler of /dash/v1 receives: a staff member whose role reaches, and parameters of the operation's types. */
interface StaffRead<Op extends Operation> {
  readonly by: StaffReader
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
  readonly run: (call: StaffRead<Operation>) => Promise<Viewed<object>>
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
): DashRoute => ({
  kind: 'read',
  operation,
  run: async (call: StaffRead<Op>) => ({ answer: await run(call), entry: null }),
})

/** As `read`, of a person: it is in the audit log before it is answered. */
export const view = <Op extends Operation>(
  operation: Op,
  run: (call: StaffRead<Op>) => Promise<Viewed<Ok<Op>>>,
): DashRoute => ({ kind: 'read', operation, run })

/** A POST, which answers with its entry in the audit log. */
export const change = <Op extends Operation>(
  operation: Op,
  run: (change: StaffChange<Op>) => Promise<Changed>,
): DashRoute => ({ kind: 'change', operation, run })
