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
 * Spec 7.2: a JSON body is a 400. A body that is not there needs no type.
 *
 * @throws Refusal invalid_request
 */
export function formOf({ headers, body }: FastifyRequest): Uint8Array {
  const bytes = body instanceof Uint8Array ? body : noBody
  if (bytes.length === 0 || formType.test(headers['content-type'] ?? '')) return bytes
  throw new Refusal('invalid_request', 'The body must be application/x-www-form-urlencoded.')
}

/**
 * The parameters of the address; undefined where the operation declares none.
 *
 * @throws Refusal invalid_request
 */
export const parseQuery = <Query extends z.ZodType>(
  schema: Query | undefined,
  { url }: FastifyRequest,
): z.output<Query> | undefined =>
  schema === undefined ? undefined : parseParams(schema, parseForm(queryOf(url)))

/** The parameters of a body, or what is wrong with them: to be settled under the request's key. */
export function parseBody<Body extends z.ZodType>(
  schema: Body | undefined,
  bytes: Uint8Array,
): z.output<Body> | Refusal {
  try {
    const form = parseForm(decodeBody(bytes))
    // A declaration without a body is typed as one that is undefined.
    return schema === undefined ? (undefined as z.output<Body>) : parseParams(schema, form)
  } catch (error) {
    if (error instanceof Refusal) return error
    throw error
  }
}

/**
 * Parses a form against a declaration.
 *
 * @throws Refusal invalid_request naming a parameter that this request does not take, else the first faulty one in the
 * declaration's order, which has refused parameters first (spec 4.3.3); in bracket spelling
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

/** `['metadata', 'a', 0]` as a form spells it: `metadata[a][0]`. */
function bracketed([first, ...rest]: readonly PropertyKey[]): string {
  return String(first ?? '') + rest.map((segment) => `[${String(segment)}]`).join('')
}
