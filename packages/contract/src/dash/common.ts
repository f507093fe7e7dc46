import { z } from 'zod'
import { boundedText, createdFilter, idParam, listQuery } from '../form.ts'
import { operation, type StaffRole } from '../operation.ts'
import { AuditEntry } from './audit-entries.ts'

/** docs/spec-gaps.md, staff: an entry of the audit log says why in so many characters. */
const REASON_CHARS_MAX = 500

const merchant = z
  .string('must be a single client id')
  .regex(/^[A-Za-z0-9_.-]{1,64}$/, 'must be a client id')
  .optional()

/** Of every list: its page, and the time and the merchant that its rows are of. */
export const staffListQuery = (prefix: string) => ({
  ...listQuery(prefix),
  merchant,
  created: createdFilter,
})

const reason = boundedText(REASON_CHARS_MAX).refine((text) => text.trim() !== '', 'must not be blank')

interface Change<Body extends z.ZodRawShape> {
  readonly id: string
  readonly role: Exclude<StaffRole, 'viewer'>
  /** Below /dash/v1, with `{id}` for the object that changes. */
  readonly path: `/${string}`
  readonly prefix: string
  readonly body?: Body
  /** Money, or what cannot be undone. */
  readonly isGrave?: boolean
}

/** A change by a staff member: it takes a reason, and answers with its entry in the audit log. */
export const change = <Body extends z.ZodRawShape>({
  id,
  role,
  path,
  prefix,
  body,
  isGrave = false,
}: Change<Body>) =>
  operation({
    id: `dash.${id}`,
    surface: 'dash',
    role,
    isGrave,
    method: 'POST',
    path: `/dash/v1${path}`,
    params: z.object({ id: idParam(prefix) }),
    body: z.strictObject({ ...(body ?? ({} as Body)), reason }),
    ok: { status: 200, schema: AuditEntry },
  })

/** The handle that a look-up gave of a number: no address holds the number itself. */
export const payerFilter = z
  .string('must be a single handle')
  .regex(/^num_[\w-]{1,120}$/, 'must be the handle of a number, as a look-up answers it')
  .optional()

/** Unix seconds. */
export const instant = z.int()

interface Read<Params extends z.ZodType, Query extends z.ZodType, Ok extends z.ZodType> {
  readonly id: string
  readonly path: `/${string}`
  readonly params?: Params
  readonly query?: Query
  readonly schema: Ok
}

/** A read: for every role. */
export const staffRead = <
  Ok extends z.ZodType,
  Params extends z.ZodType = z.ZodUndefined,
  Query extends z.ZodType = z.ZodUndefined,
>({
  id,
  path,
  schema,
  ...rest
}: Read<Params, Query, Ok>) =>
  operation({
    id: `dash.${id}`,
    surface: 'dash',
    role: 'viewer',
    method: 'GET',
    path: `/dash/v1${path}`,
    ...rest,
    ok: { status: 200, schema },
  })

interface Question<Body extends z.ZodType, Ok extends z.ZodType> {
  readonly id: string
  readonly path: `/${string}`
  readonly body: Body
  readonly schema: Ok
}

/** A read whose question is in no address: for every role, from our own page, without a key. */
export const staffQuestion = <Body extends z.ZodType, Ok extends z.ZodType>({
  id,
  path,
  body,
  schema,
}: Question<Body, Ok>) =>
  operation({
    id: `dash.${id}`,
    surface: 'dash',
    role: 'viewer',
    method: 'POST',
    path: `/dash/v1${path}`,
    keyless: true,
    body,
    ok: { status: 200, schema },
  })
