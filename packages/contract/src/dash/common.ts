import { z } from 'zod'
import { currencies } from '../currency.ts'
import type { ErrorCode, StaffErrorCode } from '../errors.ts'
import type { Example } from '../examples.ts'
import { boundedText, createdFilter, idParam, listQuery, wireShapes, wordFilter } from '../form.ts'
import { operation, type StaffRole } from '../operation.ts'
import { AuditEntry } from './audit-entries.ts'

/** Length of the reason in an audit entry. docs/spec-gaps.md, staff. */
const REASON_CHARS_MAX = 500

export const merchantFilter = z
  .string('must be a single client id')
  .regex(/^[A-Za-z0-9_.-]{1,64}$/, 'must be a client id')
  .optional()
  .describe('Shows objects of the merchant with this client id. Default: all merchants.')

/** Filters of every list. */
export const staffFilters = { merchant: merchantFilter, created: createdFilter }

const order = wordFilter(['newest', 'oldest']).describe(
  'Which objects come first, by the time of their creation: the newest by default. With `oldest`, the page of `starting_after` holds newer objects, and that of `ending_before` older ones.',
)

/** Parameters of every list: paging, the order, and filters by time and merchant. */
export const staffListQuery = (prefix: string) => ({ ...listQuery(prefix), order, ...staffFilters })

/** In minor units. Both ends are included. */
export interface AmountRange {
  readonly fromMinor: number
  readonly toMinor: number
}

const amountBounds = { gte: 'fromMinor', lte: 'toMinor' } as const
const amountShape = { type: 'integer', minimum: 1, maximum: 99_999_999 }

/** `amount=25000`, or bounds such as `amount[gte]=20000&amount[lte]=30000`. */
export const amountFilter = z
  .unknown()
  .transform((value, ctx): AmountRange => {
    const range = { fromMinor: 1, toMinor: 99_999_999 }
    const isMap = typeof value === 'object' && value !== null
    const given: [string, unknown][] = isMap
      ? Object.entries(value)
      : [
          ['gte', value],
          ['lte', value],
        ]
    for (const [name, text] of given) {
      const path = isMap ? [name] : []
      if (!Object.hasOwn(amountBounds, name)) {
        ctx.addIssue({ code: 'custom', message: 'must be gte or lte', path })
      } else if (typeof text !== 'string' || !/^[1-9]\d{0,7}$/.test(text)) {
        ctx.addIssue({
          code: 'custom',
          message: 'must be an integer from 1 to 99999999, in minor units',
          path,
        })
      } else range[amountBounds[name as keyof typeof amountBounds]] = Number(text)
    }
    return range
  })
  .optional()
  .register(wireShapes, {
    shape: () => ({
      oneOf: [
        amountShape,
        {
          type: 'object',
          properties: {
            gte: { ...amountShape, description: 'At least this amount.' },
            lte: { ...amountShape, description: 'At most this amount.' },
          },
          additionalProperties: false,
        },
      ],
    }),
  })
  .describe(
    'Shows objects of this amount in minor units, or of amounts within bounds such as `amount[gte]=20000`. Together with a short `created` range, because no index leads to an amount. The same number is another amount in another `currency`.',
  )

export const currencyFilter = z
  .enum(currencies, `must be one of ${currencies.join(', ')}`)
  .optional()
  .describe(
    'Shows objects in this currency, of which `amount` then has the minor units. Default: all currencies.',
  )

export const reasonField = boundedText(REASON_CHARS_MAX)
  .refine((text) => text.trim() !== '', 'must not be blank')
  .describe(
    `Why the change is made, 1 to ${REASON_CHARS_MAX} characters and not blank. The audit log keeps it.`,
  )

/** The text of an operation in the documents. */
interface Words {
  readonly summary: string
  readonly description: readonly string[]
  readonly example: Example
}

interface Change<Body extends z.ZodRawShape> extends Words {
  readonly id: string
  readonly role: Exclude<StaffRole, 'viewer'>
  /** The path below /dash/v1, with `{id}` for the object that changes. */
  readonly path: `/${string}`
  readonly prefix: Parameters<typeof idParam>[0]
  readonly errors: readonly (ErrorCode | StaffErrorCode)[]
  readonly body?: Body
  /** Requires a recent sign-in, if the deployment asks for one. Canceling a payment and voiding an invoice move no money. */
  readonly isGrave?: boolean
}

/** A change by a staff member. It takes a reason, and answers with its audit entry. */
export const change = <Body extends z.ZodRawShape>({
  id,
  path,
  prefix,
  body,
  isGrave = false,
  ...rest
}: Change<Body>) =>
  operation({
    ...rest,
    id: `dash.${id}`,
    surface: 'dash',
    isGrave,
    method: 'POST',
    path: `/dash/v1${path}`,
    params: z.object({ id: idParam(prefix) }),
    body: z.strictObject({ ...(body ?? ({} as Body)), reason: reasonField }),
    ok: {
      status: 200,
      schema: AuditEntry,
      description: 'The audit entry that was written with the change.',
    },
  })

/** A change whose object does not exist yet. */
export const collectionChange = <Body extends z.ZodRawShape>({
  id,
  path,
  body,
  ...rest
}: Omit<Change<Body>, 'prefix' | 'isGrave' | 'body'> & { readonly body: Body }) =>
  operation({
    ...rest,
    id: `dash.${id}`,
    surface: 'dash',
    method: 'POST',
    path: `/dash/v1${path}`,
    body: z.strictObject({ ...body, reason: reasonField }),
    ok: {
      status: 200,
      schema: AuditEntry,
      description: 'The audit entry that was written with the change.',
    },
  })

/** Filter by the handle of a number, from a look-up. Addresses never hold the number itself. */
export const payerFilter = z
  .string('must be a single handle')
  .regex(/^num_[\w-]{1,120}$/, 'must be the handle of a number, from a look-up')
  .optional()
  .describe(
    'Shows objects of the payer with this number: a handle from a look-up, valid for 12 hours. Addresses never hold the number itself.',
  )

/** The client id of the merchant that owns an object. */
export const merchantField = z.string().describe('The client id of the merchant whose object it is.')

/** A required and a nullable instant, in Unix seconds. */
export const instant = (description: string) => z.int().describe(`${description} In Unix seconds.`)
export const instantOrNull = (description: string, nullMeans: string) =>
  z.int().nullable().describe(`${description} In Unix seconds. Null ${nullMeans}.`)

export const textOrNull = (description: string, nullMeans: string) =>
  z.string().nullable().describe(`${description} Null ${nullMeans}.`)

interface Read<Params extends z.ZodType, Query extends z.ZodType, Ok extends z.ZodType> extends Words {
  readonly id: string
  readonly ok: string
  readonly path: `/${string}`
  readonly params?: Params
  readonly query?: Query
  readonly schema: Ok
  readonly errors?: readonly StaffErrorCode[]
}

/** A read, allowed to every role. */
export const staffRead = <
  Ok extends z.ZodType,
  Params extends z.ZodType = z.ZodUndefined,
  Query extends z.ZodType = z.ZodUndefined,
>({
  id,
  path,
  schema,
  ok,
  errors = [],
  ...rest
}: Read<Params, Query, Ok>) =>
  operation({
    ...rest,
    errors,
    id: `dash.${id}`,
    surface: 'dash',
    role: 'viewer',
    isRead: true,
    method: 'GET',
    path: `/dash/v1${path}`,
    ok: { status: 200, schema, description: ok },
  })

interface Question<Body extends z.ZodType, Ok extends z.ZodType> extends Words {
  readonly id: string
  readonly ok: string
  readonly path: `/${string}`
  readonly body: Body
  readonly schema: Ok
  readonly errors?: readonly StaffErrorCode[]
}

/** A read whose parameters are too private for an address. Every role may call it from our own page, without a key. */
export const staffQuestion = <Body extends z.ZodType, Ok extends z.ZodType>({
  id,
  path,
  body,
  schema,
  ok,
  errors = [],
  ...words
}: Question<Body, Ok>) =>
  operation({
    ...words,
    errors,
    id: `dash.${id}`,
    surface: 'dash',
    role: 'viewer',
    isRead: true,
    method: 'POST',
    path: `/dash/v1${path}`,
    keyless: true,
    body,
    ok: { status: 200, schema, description: ok },
  })
