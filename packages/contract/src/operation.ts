import type { z } from 'zod'
import type { ErrorCode, StaffErrorCode } from './errors.ts'
import type { Example } from './examples.ts'

export type Surface = 'v1' | 'browser' | 'dash'

/** What a staff member may do: each role also does what those before it do. */
export const staffRoles = ['viewer', 'operator', 'admin'] as const
export type StaffRole = (typeof staffRoles)[number]

/**
 * One declaration per route. It gives the server its routing, its 405s and its validation, and tells the typed handler
 * what it receives and must answer. The documents, the clients' types and docs/errors.md are made from it.
 */
export interface Operation<
  Params extends z.ZodType = z.ZodType,
  Query extends z.ZodType = z.ZodType,
  Body extends z.ZodType = z.ZodType,
  Ok extends z.ZodType = z.ZodType,
> {
  readonly id: string
  readonly surface: Surface
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  /** Spec 4.2: a second method with the same handler. */
  readonly also?: 'PATCH'
  /** With `{name}` for a path parameter. */
  readonly path: `/${string}`
  /** What the call does, in a few words and without a full stop. */
  readonly summary: string
  /** When to use the call, what it changes and what follows. One paragraph to an element. */
  readonly description: readonly string[]
  /** The errors of this call's own. `errorsOf` adds those that every call of its kind can have. */
  readonly errors: readonly (ErrorCode | StaffErrorCode)[]
  readonly example: Example
  readonly params?: Params
  readonly query?: Query
  readonly body?: Body
  readonly ok: { readonly status: 200 | 201; readonly schema: Ok; readonly description: string }
  /** Of the staff's surface: the least role that may call. */
  readonly role?: StaffRole
  /** Of the staff's surface: whoever asks must have signed in lately, where the deployment says so. */
  readonly isGrave?: boolean
  /** Spec 4: a POST takes an Idempotency-Key, but for one that is idempotent by itself. */
  readonly keyless?: true
}

export const methodsOf = ({ method, also }: Pick<Operation, 'method' | 'also'>) =>
  also === undefined ? [method] : [method, also]

export const takesBody = ({ method }: Pick<Operation, 'method'>): boolean =>
  method === 'POST' || method === 'PATCH'

/** Spec 4: every POST and PATCH, unless it is declared to be idempotent by itself. */
export const takesKey = (operation: Pick<Operation, 'method' | 'keyless'>): boolean =>
  takesBody(operation) && operation.keyless !== true

/** An operation whose surface, method and need of a key are known to the compiler, as they decide what its handler is. */
type Declared<Op extends Operation, S extends Surface, M extends Operation['method'], Keyless> = Op & {
  readonly surface: S
  readonly method: M
  readonly keyless?: Keyless
}

export const operation = <
  Ok extends z.ZodType,
  const S extends Surface,
  const M extends Operation['method'],
  Params extends z.ZodType = z.ZodUndefined,
  Query extends z.ZodType = z.ZodUndefined,
  Body extends z.ZodType = z.ZodUndefined,
  const Keyless extends true | undefined = undefined,
>(
  declaration: Declared<Operation<Params, Query, Body, Ok>, S, M, Keyless>,
): Declared<Operation<Params, Query, Body, Ok>, S, M, Keyless> => declaration

/** Every code that a call can be refused with: its own, and those of its surface and its kind. */
export function errorsOf(operation: Operation): readonly (ErrorCode | StaffErrorCode)[] {
  const { surface, path, params, role, isGrave, errors } = operation
  const isChange = role !== undefined && role !== 'viewer'
  const all: (ErrorCode | StaffErrorCode)[] = [
    // Also of a call without parameters: the framework refuses a request that is malformed.
    'invalid_request',
    ...(surface === 'browser' ? [] : (['authentication_error', 'forbidden'] as const)),
    ...(params !== undefined || surface === 'browser' || path.includes('{')
      ? (['resource_missing'] as const)
      : []),
    ...(takesKey(operation) ? (['idempotency_key_in_use'] as const) : []),
    ...(takesKey(operation) && surface !== 'dash' ? (['idempotency_key_in_flight'] as const) : []),
    ...(isChange ? (['client_disabled'] as const) : []),
    ...(isGrave === true ? (['step_up_required'] as const) : []),
    ...errors,
    'service_unavailable',
    'internal_error',
  ]
  return [...new Set(all)]
}
