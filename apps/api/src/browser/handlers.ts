import type { Operation } from '@merchant-payments/contract'
import type { Answer, Credentials, KeyClaim } from '@merchant-payments/core'
import type { Ok, OperationsOf, Parsed } from '../http/operations.ts'

/**
 * Input of a handler of /v1/browser. A secret gives access to one intent or session only. The handler resolves the
 * secret before it validates parameters, so a wrong secret gets no parameter errors.
 */
export interface Call<Op extends Operation = Operation> {
  readonly credentials: Credentials
  readonly params: Parsed<Op['params']>
  /** @throws Refusal invalid_request */
  readonly query: () => Parsed<Op['query']>
  /** Runs the command once for the request's Idempotency-Key, in the key namespace `keys`. */
  readonly once: (
    keys: Pick<KeyClaim, 'merchantId' | 'scope'>,
    run: (claim: KeyClaim, body: Parsed<Op['body']>) => Promise<Answer>,
  ) => Promise<Answer>
}

export type Read<Op extends Operation = Operation> = (call: Call<Op>) => Promise<Ok<Op>>
export type Write<Op extends Operation = Operation> = (call: Call<Op>) => Promise<Answer>

type BrowserOperations = OperationsOf<'browser'>

/** One handler for each operation of /v1/browser. */
export type BrowserHandlers = {
  readonly [Name in keyof BrowserOperations]: BrowserOperations[Name]['method'] extends 'GET'
    ? Read<BrowserOperations[Name]>
    : Write<BrowserOperations[Name]>
}

/** Types the handlers of one resource. */
export const handlers = <Table extends Partial<BrowserHandlers>>(table: Table): Table => table
