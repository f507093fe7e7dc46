import type { z } from 'zod'
import type { ErrorCode, StaffErrorCode } from './errors.ts'
import type { Example } from './examples.ts'

export type Surface = 'v1' | 'browser' | 'dash'

/** Roles of staff. Each role includes those before it. */
export const staffRoles = ['viewer', 'operator', 'admin'] as const
export type StaffRole = (typeof staffRoles)[number]

/**
 * The declaration of a route. It defines the server's routing, 405s and validation, and the types of the handler. The
 * documents, the clients' types and docs/errors.md are generated from it.
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
  /** A second method with the same handler (spec 4.2). */
  readonly also?: 'PATCH'
  /** Path with `{name}` for a parameter. */
  readonly path: `/${string}`
  /** A few words on what the call does, without a full stop. */
  readonly summary: string
  /** When to use the call, what it changes and what follows. One element per paragraph. */
  readonly description: readonly string[]
  /** Errors specific to this call. `errorsOf` adds those that every call of its kind can have. */
  readonly errors: readonly (ErrorCode | StaffErrorCode)[]
  readonly example: Example
  readonly params?: Params
  readonly query?: Query
  readonly body?: Body
  readonly ok: { readonly status: 200 | 201; readonly schema: Ok; readonly description: string }
  /** On the staff's surface: the lowest role that may call it. */
  readonly role?: StaffRole
  /** On the staff's surface: requires a recent sign-in, if the deployment asks for one. */
  readonly isGrave?: boolean
  /** On the staff's surface: changes nothing and writes at most an audit entry, so a standby may answer it. */
  readonly isRead?: true
  /** Set on a POST that is idempotent by itself, and so takes no Idempotency-Key (spec 4). */
  readonly keyless?: true
}

export const isOperation = (value: unknown): value is Operation =>
  typeof value === 'object' && value !== null && 'surface' in value

export const methodsOf = ({ method, also }: Pick<Operation, 'method' | 'also'>) =>
  also === undefined ? [method] : [method, also]

export const takesBody = ({ method }: Pick<Operation, 'method'>): boolean =>
  method === 'POST' || method === 'PATCH'

/** True for every POST and PATCH that is not idempotent by itself (spec 4). */
export const takesKey = (operation: Pick<Operation, 'method' | 'keyless'>): boolean =>
  takesBody(operation) && operation.keyless !== true

/**
 * An operation whose surface, method and key requirement are literal types, because they determine its handler's
 * type.
 */
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

/** All codes that a call can be refused with: its own, and those of its surface and its kind. */
export function errorsOf(operation: Operation): readonly (ErrorCode | StaffErrorCode)[] {
  const { surface, path, params, role, isGrave, errors } = operation
  const isChange = role !== undefined && role !== 'viewer'
  const all: (ErrorCode | StaffErrorCode)[] = [
    // Applies also to a call without parameters, because the framework refuses malformed requests.
    'invalid_request',
    ...(surface === 'browser' ? [] : (['authentication_error', 'forbidden'] as const)),
    ...(params !== undefined || surface === 'browser' || path.includes('{')
      ? (['resource_missing'] as const)
      : []),
    ...(takesKey(operation) ? (['idempotency_key_in_use'] as const) : []),
    ...(takesKey(operation) && surface !== 'dash' ? (['idempotency_key_in_flight'] as const) : []),
    ...(isChange ? (['client_disabled', 'merchant_moved'] as const) : []),
    ...(isGrave === true ? (['step_up_required'] as const) : []),
    ...errors,
    'service_unavailable',
    'internal_error',
  ]
  return [...new Set(all)]
}
