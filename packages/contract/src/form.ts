import { z } from 'zod'
import { currencies, isCurrency } from './currency.ts'

/** Parts of request schemas. Form values are strings. Each part accepts one spelling and refuses all others. */

type JsonSchema = Record<string, unknown>

interface WireShape {
  /** @param shapeOf returns the JSON Schema of an inner part */
  readonly shape: (shapeOf: (piece: unknown) => JsonSchema) => JsonSchema
}

/** JSON Schemas of parts whose parser does not reveal what they accept. A clone by `.meta()` inherits it. */
export const wireShapes = z.registry<WireShape>()

/** The form's null. */
const emptyText: JsonSchema = { type: 'string', maxLength: 0 }

/** 1 to 99 999 999 minor units. Floating-point numbers are refused (spec 1.3). */
export const minorAmount = z
  .string('is required')
  .regex(/^[1-9]\d{0,7}$/, 'must be an integer from 1 to 99999999, in minor units')
  .transform(Number)
  .register(wireShapes, { shape: () => ({ type: 'integer', minimum: 1, maximum: 99_999_999 }) })

/** A line's amount: as `amount`, or negative for a credit. */
export const signedAmount = z
  .string('must be a single number')
  .regex(/^-?[1-9]\d{0,7}$/, 'must be an integer from -99999999 to 99999999 other than 0, in minor units')
  .transform(Number)
  .register(wireShapes, { shape: () => ({ type: 'integer', minimum: -99_999_999, maximum: 99_999_999 }) })

/** Accepted in any case, because clients of the compatible API send lower case. */
export const currency = z
  .string('is required')
  .transform((text) => text.toUpperCase())
  .refine(isCurrency, `must be ${currencies.join(' or ')}`)
  .register(wireShapes, {
    shape: () => ({ type: 'string', enum: currencies.flatMap((code) => [code, code.toLowerCase()]) }),
  })

/** An instant in Unix seconds. Ten digits last until the year 2286. */
export const unixSeconds = z
  .string('must be a single number')
  .regex(/^[1-9]\d{0,9}$/, 'must be an instant in Unix seconds')
  .transform(Number)
  .register(wireShapes, { shape: () => ({ type: 'integer', minimum: 1, maximum: 9_999_999_999 }) })

/** Languages of texts for payers. */
export const locale = z
  .enum(['fr', 'en'], 'must be fr or en')
  .meta({ id: 'Locale', description: 'French or English.' })

/** Counts characters, not UTF-16 units, so an emoji counts as one. */
const isLonger = (text: string, charsMax: number) =>
  text.length > charsMax && Array.from(text).length > charsMax

const atMost = (charsMax: number) => (text: string) => !isLonger(text, charsMax)

/** The command validates the value further. */
export const requiredText = z.string('is required').min(1, 'is required')

export const boundedText = (charsMax: number) =>
  z
    .string('must be a string')
    .min(1, 'must not be empty')
    .refine(atMost(charsMax), `must have at most ${charsMax} characters`)
    .register(wireShapes, { shape: () => ({ type: 'string', minLength: 1, maxLength: charsMax }) })

/** An empty value is the form's null. */
export const optionalText = (charsMax: number) =>
  z
    .string('must be a string')
    .refine(atMost(charsMax), `must have at most ${charsMax} characters`)
    .transform((text) => (text === '' ? null : text))
    .nullable()
    .default(null)
    .register(wireShapes, { shape: () => ({ type: 'string', maxLength: charsMax }) })

/** A field of a partial update: an absent field stays, an empty value clears it (spec 4.4.1). */
export const clearableText = (charsMax: number) =>
  z
    .string('must be a string')
    .refine(atMost(charsMax), `must have at most ${charsMax} characters`)
    .transform((text) => (text === '' ? null : text))
    .optional()
    .register(wireShapes, { shape: () => ({ type: 'string', maxLength: charsMax }) })

/** Makes a field that is not text clearable: an empty value is read as null. */
export const clearable = <T extends z.ZodType>(schema: T) =>
  z
    .preprocess((value) => (value === '' ? null : value), schema.nullable())
    .optional()
    .register(wireShapes, {
      shape: (shapeOf) => ({ oneOf: [shapeOf(schema), emptyText] }),
    })

/** An integer within ±max, or null. A fraction is refused, never rounded (spec 2.2). */
export const integerWithin = (max: number) =>
  z
    .string('must be a string')
    .regex(/^(?:0|-?[1-9]\d{0,14})?$/, 'must be an integer')
    .transform((text) => (text === '' ? null : Number(text)))
    .refine((value) => value === null || Math.abs(value) <= max, `must be within ${-max} and ${max}`)
    .optional()
    .register(wireShapes, {
      shape: () => ({
        oneOf: [{ type: 'integer', minimum: -max, maximum: max }, emptyText],
      }),
    })

/** Limit of every description. docs/spec-gaps.md. */
export const DESCRIPTION_CHARS_MAX = 1000

/**
 * The id of another resource. Only its presence is checked here, because a malformed id is the same 400 as an unknown
 * one.
 */
export const requiredId = z
  .string('is required')
  .min(1, 'is required')
  .register(wireShapes, { shape: () => ({ type: 'string', minLength: 1 }) })

export const wholeNumber = (min: number, max: number) =>
  z
    .string('must be a single number')
    .regex(/^(?:0|[1-9]\d{0,9})$/, `must be an integer from ${min} to ${max}`)
    .transform(Number)
    .refine((value) => value >= min && value <= max, `must be an integer from ${min} to ${max}`)
    .register(wireShapes, { shape: () => ({ type: 'integer', minimum: min, maximum: max }) })

const index = /^(?:0|[1-9]\d{0,3})$/

// z.record would drop the key `__proto__` before it could be refused.
const isMap = (value: unknown) => typeof value === 'object' && value !== null

/**
 * `a[x]=1&a[y][z]=2`. The command validates the keys, because the rails differ per deployment.
 *
 * @param entry the JSON Schema of each value
 */
export const formMap = (entry: JsonSchema) =>
  z
    .custom<Record<string, unknown>>(isMap, 'is required and must be a map')
    .register(wireShapes, { shape: () => ({ type: 'object', additionalProperties: entry }) })

/**
 * `a[0]=x&a[2]=y` or `a[]=x&a[]=y`. Indexes may have gaps, because clients skip undefined elements. A fault names the
 * index that was sent.
 */
export const formArray = <T extends z.ZodType>(element: T) =>
  z
    .custom<Record<string, unknown>>(isMap, 'is required and must be a list')
    .superRefine((entries, ctx) => {
      if (!Object.keys(entries).every((key) => index.test(key))) {
        ctx.addIssue({ code: 'custom', message: 'must be a list with numeric indexes' })
      }
    })
    .transform((entries, ctx): z.output<T>[] => {
      const keys = Object.keys(entries).sort((a, b) => Number(a) - Number(b))
      if (keys.length === 0) ctx.addIssue({ code: 'custom', message: 'must not be empty' })
      return keys.flatMap((key) => {
        const parsed = element.safeParse(entries[key])
        if (parsed.success) return [parsed.data]
        for (const { message, path } of parsed.error.issues) {
          ctx.addIssue({ code: 'custom', message, path: [key, ...path] })
        }
        return []
      })
    })
    .register(wireShapes, { shape: (shapeOf) => ({ type: 'array', minItems: 1, items: shapeOf(element) }) })

/** Limits of the compatible API. */
export const METADATA_KEYS_MAX = 50
export const METADATA_KEY_CHARS_MAX = 40
export const METADATA_VALUE_CHARS_MAX = 500

type MetadataMap = Record<string, string>

// A map without a prototype keeps `__proto__` as an ordinary key. An empty value stands for no map.
const metadataMap = z
  .custom<MetadataMap | ''>((value) => value === '' || isMap(value), 'must be a map')
  .superRefine((entries, ctx) => {
    for (const [key, value] of Object.entries(entries)) {
      const fault = metadataFault(key, value)
      if (fault !== null) ctx.addIssue({ code: 'custom', message: fault, path: [key] })
    }
  })

const metadataShape = {
  type: 'object',
  maxProperties: METADATA_KEYS_MAX,
  additionalProperties: { type: 'string', maxLength: METADATA_VALUE_CHARS_MAX },
}

/**
 * Metadata of a partial update: an empty value removes its key, and null, for an empty value in place of the map, all
 * keys. The limit of keys applies to the merged result.
 */
export const metadataChanges = metadataMap
  .transform((entries): MetadataMap | null => (entries === '' ? null : entries))
  .optional()
  .register(wireShapes, { shape: () => ({ oneOf: [metadataShape, emptyText] }) })
  .describe(
    `Your own key-value pairs, merged key by key. A key that is not sent keeps its value, and an empty value removes its key. An empty value in place of the map removes all. At most ${METADATA_KEYS_MAX} keys of 1 to ${METADATA_KEY_CHARS_MAX} characters remain, with values of at most ${METADATA_VALUE_CHARS_MAX} characters.`,
  )

export const metadata = metadataMap
  .refine(
    (entries) => Object.values(entries).filter((value) => value !== '').length <= METADATA_KEYS_MAX,
    `must have at most ${METADATA_KEYS_MAX} keys`,
  )
  .transform((entries): MetadataMap => (entries === '' ? {} : entries))
  .optional()
  .register(wireShapes, { shape: () => metadataShape })
  .describe(
    `Your own key-value pairs: at most ${METADATA_KEYS_MAX} keys of 1 to ${METADATA_KEY_CHARS_MAX} characters without brackets, and values of at most ${METADATA_VALUE_CHARS_MAX} characters. A key with an empty value is not stored.`,
  )

function metadataFault(key: string, value: unknown): string | null {
  if (key === '' || isLonger(key, METADATA_KEY_CHARS_MAX))
    return `a key must have 1 to ${METADATA_KEY_CHARS_MAX} characters`
  if (/[[\]]/.test(key)) return 'a key must not hold brackets'
  if (typeof value !== 'string') return 'a value must be a string'
  if (isLonger(value, METADATA_VALUE_CHARS_MAX))
    return `a value must have at most ${METADATA_VALUE_CHARS_MAX} characters`
  return null
}

/** Objects with an id of their own, by its prefix. */
const nouns = {
  apr: 'request for approval',
  att: 'item of the inbox',
  blk: 'bulk job',
  ch: 'charge',
  client: 'merchant client',
  cs: 'checkout session',
  cus: 'customer',
  evt: 'event',
  finding: 'finding',
  ii: 'invoice item',
  in: 'invoice',
  pi: 'payment intent',
  rail: 'rail',
  re: 'refund',
  st: 'statement',
  vw: 'saved view',
  wd: 'delivery',
} as const satisfies Record<string, string>

/** Ids that are no UUID. */
const ownForms: Readonly<Partial<Record<keyof typeof nouns, string>>> = {
  client: 'as the deployment registers it',
  rail: 'its code',
  finding: 'the rail, the kind and the reference, with colons between them',
}

const articleOf = (noun: string) => (/^[aeiou]/.test(noun) ? 'an' : 'a')

/** Ids in a path are not validated here, because a malformed one is the same 404 as an unknown one. */
export const idParam = (prefix: keyof typeof nouns) => {
  const noun = nouns[prefix]
  const form = ownForms[prefix] ?? `\`${prefix}_\` and 32 hexadecimal digits`
  const description = `The id of ${articleOf(noun)} ${noun}: ${form}. An ill-formed and an unknown id have the same answer: 404 \`resource_missing\` (spec 7.2).`
  return z.string().meta({ prefix, description })
}

export const idPattern = (prefix: string) => new RegExp(`^${prefix}_[0-9a-f]{32}$`)

const LIST_LIMIT_MAX = 100
const LIST_LIMIT_DEFAULT = 10

const limit = z
  .string('must be a single number')
  .regex(/^[1-9]\d{0,2}$/, `must be an integer from 1 to ${LIST_LIMIT_MAX}`)
  .transform(Number)
  .refine((value) => value <= LIST_LIMIT_MAX, `must be an integer from 1 to ${LIST_LIMIT_MAX}`)
  .default(LIST_LIMIT_DEFAULT)
  .register(wireShapes, {
    shape: () => ({ type: 'integer', minimum: 1, maximum: LIST_LIMIT_MAX, default: LIST_LIMIT_DEFAULT }),
  })
  .describe(
    `Maximum number of objects per page: 1 to ${LIST_LIMIT_MAX}, ${LIST_LIMIT_DEFAULT} by default. A page of large objects ends earlier, with \`has_more\` true (spec 2.1).`,
  )

const cursor = (prefix: string) =>
  z
    .string('must be a single id')
    .regex(idPattern(prefix), `must be the id of an object of this list (${prefix}_…)`)
    .optional()

/** A range in whole seconds: the first is included, the last is not. */
export interface SecondsRange {
  readonly fromSec: number
  readonly untilSec: number
}

const from = ({ fromSec, untilSec }: SecondsRange, sec: number): SecondsRange => ({
  fromSec: Math.max(fromSec, sec),
  untilSec,
})
const until = ({ fromSec, untilSec }: SecondsRange, sec: number): SecondsRange => ({
  fromSec,
  untilSec: Math.min(untilSec, sec),
})

/** Each narrows a range, so that all given bounds hold. */
const bounds = {
  gt: (range: SecondsRange, at: number) => from(range, at + 1),
  gte: from,
  lt: until,
  lte: (range: SecondsRange, at: number) => until(range, at + 1),
} as const

const boundTexts: Readonly<Record<keyof typeof bounds, string>> = {
  gt: 'Created after this Unix second.',
  gte: 'Created in this Unix second or later.',
  lt: 'Created before this Unix second.',
  lte: 'Created in this Unix second or earlier.',
}

const second = /^(?:0|[1-9]\d{0,9})$/

/**
 * `created=1700000000`, or bounds such as `created[gte]=1700000000&created[lt]=1700086400`. docs/spec-gaps.md,
 * filters.
 */
export const createdFilter = z
  .unknown()
  .transform((value, ctx): SecondsRange => {
    let range: SecondsRange = { fromSec: 0, untilSec: Number.MAX_SAFE_INTEGER }
    const given = isMap(value) ? Object.entries(value) : Object.entries({ gte: value, lte: value })
    for (const [name, text] of given) {
      const path = isMap(value) ? [name] : []
      if (!Object.hasOwn(bounds, name)) {
        ctx.addIssue({ code: 'custom', message: 'must be gt, gte, lt or lte', path })
      } else if (typeof text !== 'string' || !second.test(text)) {
        ctx.addIssue({ code: 'custom', message: 'must be an instant in Unix seconds', path })
      } else range = bounds[name as keyof typeof bounds](range, Number(text))
    }
    return range
  })
  .optional()
  .register(wireShapes, {
    shape: () => {
      const second = { type: 'integer', minimum: 0 }
      const described = Object.entries(boundTexts).map(([name, description]) => [
        name,
        { ...second, description },
      ])
      const properties = Object.fromEntries(described)
      return { oneOf: [second, { type: 'object', properties, additionalProperties: false }] }
    },
  })
  .describe(
    'Shows objects created in this Unix second, or within bounds such as `created[gte]=1767225600`. All given bounds must hold.',
  )

/** A list's filter by another object. An unknown id matches nothing. */
export const idFilter = (prefix: string) =>
  z.string('must be a single id').regex(idPattern(prefix), `must be an id (${prefix}_…)`).optional()

/** A list's filter with a fixed set of values. */
export const wordFilter = <const Words extends readonly [string, ...string[]]>(words: Words) =>
  z.enum(words, `must be one of ${words.join(', ')}`).optional()

/** Accepted, ignored, and left out of the documents (spec 4.3.4). */
export const ignored = z.unknown().optional()

/** Paging parameters of every list (spec 2.1). `expand` is accepted and ignored (spec 4.3.4). */
export const listQuery = (prefix: string) => ({
  limit,
  starting_after: cursor(prefix).describe(
    'The id of an object of this list. The page holds the objects older than it. Not together with `ending_before`.',
  ),
  ending_before: cursor(prefix).describe(
    'The id of an object of this list. The page holds the next newer objects, and `has_more` is about newer objects. Not together with `starting_after`.',
  ),
  expand: ignored,
})
