import type { Operation } from '@merchant-payments/contract'
import type { Answer, KeyClaim, MerchantId } from '@merchant-payments/core'
import type { Ok, OperationsOf, Parsed } from '../http/operations.ts'

/** Input of a handler of /v1: the merchant, and parsed parameters. */
interface Call<Op extends Operation = Operation> {
  readonly merchantId: MerchantId
  readonly requestId: string
  readonly params: Parsed<Op['params']>
  readonly query: Parsed<Op['query']>
}

/** A call that runs once for its Idempotency-Key. */
interface Command<Op extends Operation = Operation> extends Omit<Call<Op>, 'query'> {
  readonly claim: KeyClaim
  readonly body: Parsed<Op['body']>
}

/** Returns an object, or the JSON under which it is stored. */
export type Read<Op extends Operation = Operation> = (call: Call<Op>) => Promise<Ok<Op> | string>
/** Returns the answer that is stored under the request's key. */
export type Write<Op extends Operation = Operation> = (command: Command<Op>) => Promise<Answer>

/** GET and DELETE handlers need no key: a DELETE is idempotent by itself (spec 4). */
type HandlerOf<Op extends Operation> = Op['method'] extends 'GET' | 'DELETE' ? Read<Op> : Write<Op>

type V1Operations = OperationsOf<'v1'>

/** One handler for each operation of /v1. */
export type V1Handlers = { readonly [Name in keyof V1Operations]: HandlerOf<V1Operations[Name]> }

/** Types the handlers of one resource. */
export const handlers = <Table extends Partial<V1Handlers>>(table: Table): Table => table
