import type { z } from 'zod'

export type Surface = 'v1' | 'browser' | 'dash'

/** What a staff member may do: each role also does what those before it do. */
export const staffRoles = ['viewer', 'operator', 'admin'] as const
export type StaffRole = (typeof staffRoles)[number]

/**
 * One declaration per route. It gives the server its routing, its 405s and its validation, and tells the typed handler
 * what it receives and must answer.
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
  readonly params?: Params
  readonly query?: Query
  readonly body?: Body
  readonly ok: { readonly status: 200 | 201; readonly schema: Ok }
  /** Of the staff's surface: the least role that may call. */
  readonly role?: StaffRole
  /** Of the staff's surface: whoever asks must have signed in lately, where the deployment says so. */
  readonly isGrave?: boolean
  /** Spec 4: a POST takes an Idempotency-Key, but for one that is idempotent by itself. */
  readonly keyless?: true
}

export const methodsOf = ({ method, also }: Operation) => (also === undefined ? [method] : [method, also])

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
