import type { Operation } from '@merchant-payments/contract'
import type {
  Changed,
  Registration,
  StaffDeps,
  StaffReader,
  StaffRequest,
  Viewed,
} from '@merchant-payments/core'
import type { FastifyReply } from 'fastify'
import type { Ok, OperationsOf, Parsed } from '../http/operations.ts'
import type { SignedIn } from './session.ts'
import type { SignInDeps } from './sign-in.ts'

/** What the handlers of /dash/v1 are made from. */
export interface HandlerDeps extends StaffDeps, Omit<SignInDeps, 'db' | 'clock'> {
  readonly registrations: readonly Registration[]
}

/** What a handler of /dash/v1 receives: a staff member whose role reaches, and parameters of the operation's types. */
export interface Question<Op extends Operation = Operation> {
  readonly by: StaffReader
  readonly signedIn: SignedIn
  readonly reply: FastifyReply
  readonly params: Parsed<Op['params']>
  readonly query: Parsed<Op['query']>
  readonly body: Parsed<Op['body']>
  /** Logs that a person was looked at, before the answer is sent. */
  readonly logged: <T>(viewed: Promise<Viewed<T>>) => Promise<T>
}

/** A change has a reason and a key. */
interface Change<Op extends Operation = Operation> {
  readonly request: StaffRequest
  readonly params: Parsed<Op['params']>
  readonly body: Parsed<Op['body']>
}

export type Read<Op extends Operation = Operation> = (question: Question<Op>) => Promise<Ok<Op>>
/** Is answered with its entry in the audit log. */
export type Write<Op extends Operation = Operation> = (change: Change<Op>) => Promise<Changed>

/** A POST without a key asks a question that belongs in no address, or ends the session. */
type HandlerOf<Op extends Operation> = Op extends { readonly method: 'POST'; readonly keyless?: undefined }
  ? Write<Op>
  : Read<Op>

type DashOperations = OperationsOf<'dash'>

/** A handler for each operation of /dash/v1. */
export type DashHandlers = { readonly [Name in keyof DashOperations]: HandlerOf<DashOperations[Name]> }

/** The handlers of one noun. */
export const handlers = <Table extends Partial<DashHandlers>>(table: Table): Table => table
