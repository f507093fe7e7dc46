import type { Operation } from '@merchant-payments/contract'
import type { Answer, KeyClaim, MerchantId } from '@merchant-payments/core'
import type { z } from 'zod'

/** What a handler of /v1 receives: the merchant, and parameters of the operation's own types. */
interface Call<Op extends Operation> {
  readonly merchantId: MerchantId
  readonly requestId: string
  readonly params: Parsed<Op['params']>
  readonly query: Parsed<Op['query']>
}

/** A call that runs once for its Idempotency-Key. */
export interface Command<Op extends Operation> extends Call<Op> {
  readonly claim: KeyClaim
  readonly body: Parsed<Op['body']>
}

type Parsed<S> = NonNullable<S> extends z.ZodType ? z.output<NonNullable<S>> : undefined

/** A route: its declaration and what runs behind it. */
export type Route = KeylessRoute | CommandRoute

interface KeylessRoute {
  readonly kind: 'keyless'
  readonly operation: Operation
  readonly run: (call: Call<Operation>) => Promise<string>
}

interface CommandRoute {
  readonly kind: 'command'
  readonly operation: Operation
  readonly run: (command: Command<Operation>) => Promise<Answer>
}

const keyless = <Op extends Operation>(operation: Op, run: (call: Call<Op>) => Promise<string>): Route => ({
  kind: 'keyless',
  operation,
  run: run,
})

/** A GET, answered with rendered JSON. */
export const read = keyless

/** A DELETE, the same: it is idempotent by itself, so that it has no Idempotency-Key (spec 4). */
export const removal = keyless

/** A POST or PATCH, answered with what is stored under its key. */
export const command = <Op extends Operation>(
  operation: Op,
  run: (command: Command<Op>) => Promise<Answer>,
): Route => ({ kind: 'command', operation, run: run })
