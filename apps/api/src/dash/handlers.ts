import type { Operation } from '@merchant-payments/contract'
import type {
  Changed,
  Registration,
  StaffDeps,
  StaffReader,
  StaffRequest,
  Viewed,
} from '@merchant-payments/core'
import type { StatementColumns } from '@merchant-payments/statements'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Ok, OperationsOf, Parsed } from '../http/operations.ts'
import type { SignedIn } from './session.ts'
import type { SignInDeps } from './sign-in.ts'

/** Dependencies of the handlers of /dash/v1. */
export interface HandlerDeps extends StaffDeps, Omit<SignInDeps, 'db' | 'clock'> {
  readonly registrations: readonly Registration[]
  /** The columns of the operators' statements. */
  readonly statements: readonly StatementColumns[]
}

/** Input of a handler of /dash/v1: a staff member with a sufficient role, and parsed parameters. */
export interface Question<Op extends Operation = Operation> {
  readonly by: StaffReader
  readonly signedIn: SignedIn
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  readonly params: Parsed<Op['params']>
  readonly query: Parsed<Op['query']>
  readonly body: Parsed<Op['body']>
  /** Writes the log line of a look-up before the answer is sent. */
  readonly logged: <T>(viewed: Promise<Viewed<T>>) => Promise<T>
}

/** Input of a change, which has a reason and a key. */
interface Change<Op extends Operation = Operation> {
  readonly request: StaffRequest
  readonly params: Parsed<Op['params']>
  readonly body: Parsed<Op['body']>
}

export type Read<Op extends Operation = Operation> = (question: Question<Op>) => Promise<Ok<Op>>
/** Returns the change with its audit entry. */
export type Write<Op extends Operation = Operation> = (change: Change<Op>) => Promise<Changed>

/** A POST without a key reads, or is a change with an answer of its own. */
type HandlerOf<Op extends Operation> = Op extends { readonly method: 'POST'; readonly keyless?: undefined }
  ? Write<Op>
  : Read<Op>

type DashOperations = OperationsOf<'dash'>

/** One handler for each operation of /dash/v1. */
export type DashHandlers = { readonly [Name in keyof DashOperations]: HandlerOf<DashOperations[Name]> }

/** Types the handlers of one resource. */
export const handlers = <Table extends Partial<DashHandlers>>(table: Table): Table => table
