import type { Operation } from '@merchant-payments/contract'
import type { Answer, Credentials, KeyClaim } from '@merchant-payments/core'
import type { Ok, OperationsOf, Parsed } from '../http/operations.ts'

/**
 * What a handler of /v1/browser receives. A secret gives one intent or session, and nothing else. The handler finds out
 * which before it looks at any parameter, so that a wrong secret is told nothing of them.
 */
export interface Call<Op extends Operation = Operation> {
  readonly credentials: Credentials
  readonly params: Parsed<Op['params']>
  /** @throws Refusal invalid_request */
  readonly query: () => Parsed<Op['query']>
  /** Runs once for the request's Idempotency-Key, among the keys that `keys` names. */
  readonly once: (
    keys: Pick<KeyClaim, 'merchantId' | 'scope'>,
    run: (claim: KeyClaim, body: Parsed<Op['body']>) => Promise<Answer>,
  ) => Promise<Answer>
}

export type Read<Op extends Operation = Operation> = (call: Call<Op>) => Promise<Ok<Op>>
export type Write<Op extends Operation = Operation> = (call: Call<Op>) => Promise<Answer>

type BrowserOperations = OperationsOf<'browser'>

/** A handler for each operation of /v1/browser. */
export type BrowserHandlers = {
  readonly [Name in keyof BrowserOperations]: BrowserOperations[Name]['method'] extends 'GET'
    ? Read<BrowserOperations[Name]>
    : Write<BrowserOperations[Name]>
}

/** The handlers of one noun. */
export const handlers = <Table extends Partial<BrowserHandlers>>(table: Table): Table => table
