import { Refusal } from '@merchant-payments/contract'
import type { FastifyRequest } from 'fastify'
import type { z } from 'zod'
import { unknownRoute } from './errors.ts'
import { decodeBody, parseForm } from './form-body.ts'
import { hasIds, queryOf } from './paths.ts'

/** @throws Refusal unknown_route */
export function requireIds({ params }: FastifyRequest): void {
  if (!hasIds(params)) throw unknownRoute()
}

const noBody = new Uint8Array()
const formType = /^application\/x-www-form-urlencoded\s*(?:;\s*charset="?utf-8"?\s*)?$/i

/**
 * Returns the body. A body that is not a form, such as JSON, is a 400 (spec 7.2). An empty body needs no content
 * type.
 *
 * @throws Refusal invalid_request
 */
export function formOf({ headers, body }: FastifyRequest): Uint8Array {
  const bytes = body instanceof Uint8Array ? body : noBody
  if (bytes.length === 0 || formType.test(headers['content-type'] ?? '')) return bytes
  throw new Refusal('invalid_request', 'The body must be application/x-www-form-urlencoded.')
}

/**
 * Parses the query string; undefined if the operation declares no parameters.
 *
 * @throws Refusal invalid_request
 */
export const parseQuery = <Query extends z.ZodType>(
  schema: Query | undefined,
  { url }: FastifyRequest,
): z.output<Query> | undefined =>
  schema === undefined ? undefined : parseParams(schema, parseForm(queryOf(url)))

/** Parses a body. Returns the Refusal of an invalid one, so that it is stored under the request's key. */
export function parseBody<Body extends z.ZodType>(
  schema: Body | undefined,
  bytes: Uint8Array,
): z.output<Body> | Refusal {
  try {
    const form = parseForm(decodeBody(bytes))
    // The type of a declaration without a body is undefined.
    return schema === undefined ? (undefined as z.output<Body>) : parseParams(schema, form)
  } catch (error) {
    if (error instanceof Refusal) return error
    throw error
  }
}

/**
 * @throws Refusal invalid_request naming one parameter in bracket spelling: an unknown one, else the first faulty one
 *   in the order of the declaration. Declarations list refused parameters first (spec 4.3.3).
 */
function parseParams<S extends z.ZodType>(schema: S, input: unknown): z.output<S> {
  const parsed = schema.safeParse(input)
  if (parsed.success) return parsed.data
  const { issues } = parsed.error
  const strange = issues.find((issue) => issue.code === 'unrecognized_keys' && issue.path.length === 0)
  if (strange?.code === 'unrecognized_keys') {
    throw new Refusal('invalid_request', 'is not a parameter of this request', {
      param: strange.keys[0] ?? '',
    })
  }
  const [issue] = issues
  if (issue === undefined) throw new Refusal('invalid_request', 'A parameter is not valid.')
  throw new Refusal('invalid_request', issue.message, { param: bracketed(issue.path) })
}

/** Spells `['metadata', 'a', 0]` as a form does: `metadata[a][0]`. */
function bracketed([first, ...rest]: readonly PropertyKey[]): string {
  return String(first ?? '') + rest.map((segment) => `[${String(segment)}]`).join('')
}
