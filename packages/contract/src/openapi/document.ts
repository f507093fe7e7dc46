import type { z } from 'zod'
import { type ErrorKind, errorKinds, staffErrorKinds } from '../errors.ts'
import type { Operation, Surface } from '../operation.ts'
import { inlineSchemaOf, type JsonSchema, jsonSchemaOf, type NamedSchemas } from './schema.ts'

const FORM = 'application/x-www-form-urlencoded'
const JSON_TYPE = 'application/json'

interface DocumentOptions {
  readonly title: string
  readonly surface: Surface
  readonly operations: readonly Operation[]
  readonly named: NamedSchemas
  readonly security: { readonly schemes: JsonSchema; readonly required: readonly JsonSchema[] }
}

/** OpenAPI 3.1 of a surface, from the declarations that also validate its requests and type its handlers. */
export function openApiOf({ title, surface, operations, named, security }: DocumentOptions): JsonSchema {
  const paths: Record<string, JsonSchema> = {}
  for (const operation of operations.filter((one) => one.surface === surface)) {
    const { id, method, also, path } = operation
    const described = describe(operation, named)
    paths[path] = { ...paths[path], [method.toLowerCase()]: described }
    if (also === undefined) continue
    const second = also.toLowerCase()
    paths[path] = { ...paths[path], [second]: { ...described, operationId: `${id}.${second}` } }
  }
  const schemas = Array.from(
    named,
    ([schema, name]) => [name, inlineSchemaOf(schema, 'output', named)] as const,
  )
  return {
    openapi: '3.1.1',
    // Spec 9.1: the path's prefix is the version, and nothing else is.
    info: { title, version: 'v1' },
    security: security.required,
    paths,
    components: {
      securitySchemes: security.schemes,
      schemas: {
        ...referredTo(schemas, paths),
        Error: errorSchema(surface === 'dash' ? { ...errorKinds, ...staffErrorKinds } : errorKinds),
      },
      responses: { Error: errorResponse, Empty: { description: 'No body.' } },
    },
  }
}

/** Those that a path refers to, or that such a one does. */
function referredTo(schemas: readonly (readonly [string, JsonSchema])[], from: JsonSchema): JsonSchema {
  const text = JSON.stringify(from)
  const found = schemas.filter(([name]) => text.includes(`"#/components/schemas/${name}"`))
  const rest = schemas.filter((schema) => !found.includes(schema))
  if (found.length === 0) return {}
  const here = Object.fromEntries(found)
  return { ...here, ...referredTo(rest, here) }
}

function describe(operation: Operation, named: NamedSchemas): JsonSchema {
  const { id, method, params, query, body, ok, role } = operation
  const [verb = '', ...nouns] = id.split('.').reverse()
  const resource = nouns.filter((noun) => noun !== 'browser' && noun !== 'dash').reverse()
  return {
    operationId: id,
    tags: [resource.join('.')],
    summary: sentence(`${verb} ${resource.join(' ')}`),
    ...(role === undefined ? {} : { description: `For the role ${role}, and any above it.` }),
    parameters: [
      ...parametersOf('path', params, named),
      ...parametersOf('query', query, named),
      ...(takesKey(operation) ? [idempotencyKey] : []),
    ],
    ...(body === undefined ? {} : { requestBody: formBody(body, named) }),
    responses: {
      [ok.status]: {
        description: 'Done.',
        content: { [JSON_TYPE]: { schema: jsonSchemaOf(ok.schema, 'output', named) } },
      },
      ...(takesBody(method) ? { 413: { $ref: '#/components/responses/Empty' } } : {}),
      405: { $ref: '#/components/responses/Empty' },
      default: { $ref: '#/components/responses/Error' },
    },
  }
}

const takesBody = (method: Operation['method']): boolean => method === 'POST' || method === 'PATCH'

/** Spec 4: every POST and PATCH, unless it is declared to be idempotent by itself. */
const takesKey = ({ method, keyless }: Operation): boolean => takesBody(method) && keyless !== true

/** `create paymentIntents`, as people write it. */
function sentence(text: string): string {
  const words = text.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
  return words.charAt(0).toUpperCase() + words.slice(1)
}

function parametersOf(
  place: 'path' | 'query',
  schema: z.ZodType | undefined,
  named: NamedSchemas,
): JsonSchema[] {
  if (schema === undefined) return []
  const { properties, required } = inlineSchemaOf(schema, 'input', named)
  const shown = Object.entries((properties ?? {}) as Record<string, JsonSchema>).filter(isOfUse)
  return shown.map(([name, shape]) => ({
    name,
    in: place,
    required: place === 'path' || ((required ?? []) as string[]).includes(name),
    schema: shape,
    // `created[gte]=1` and `types[0]=x`.
    ...(place === 'query' && isNested(shape) ? { style: 'deepObject', explode: true } : {}),
  }))
}

/** Spec 4.3.4: accepted, and ignored. */
const isOfUse = ([name]: readonly [string, JsonSchema]): boolean => name !== 'expand'

function formBody(schema: z.ZodType, named: NamedSchemas): JsonSchema {
  const shape = inlineSchemaOf(schema, 'input', named)
  const properties = (shape['properties'] ?? {}) as Record<string, JsonSchema>
  const nested = Object.entries(properties).filter(([, property]) => isNested(property))
  const bracketed = nested.map(([name]) => [name, { style: 'deepObject', explode: true }])
  return {
    required: Array.isArray(shape['required']),
    content: {
      [FORM]: {
        schema: shape,
        ...(nested.length === 0 ? {} : { encoding: Object.fromEntries(bracketed) }),
      },
    },
  }
}

const isNested = ({ type, oneOf }: JsonSchema): boolean =>
  type === 'object' || type === 'array' || (oneOf as JsonSchema[] | undefined)?.some(isNested) === true

const idempotencyKey = {
  name: 'Idempotency-Key',
  in: 'header',
  required: true,
  description: 'Kept for 24 hours: the same request under the same key has the same answer, byte for byte.',
  schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[ -~]+$' },
}

const errorSchema = (kinds: Readonly<Record<string, ErrorKind>>): JsonSchema => ({
  type: 'object',
  required: ['error'],
  additionalProperties: false,
  properties: {
    error: {
      type: 'object',
      required: ['type', 'code', 'message'],
      additionalProperties: false,
      properties: {
        type: { type: 'string', enum: [...new Set(Object.values(kinds).map(({ type }) => type))] },
        code: { type: 'string', enum: Object.keys(kinds) },
        message: { type: 'string', description: 'For people: its words may change.' },
        param: { type: 'string', description: 'The parameter at fault, as the request spells it.' },
      },
    },
  },
})

const errorResponse: JsonSchema = {
  description: 'Refused. Status, type and code follow from one cause; docs/errors.md lists them.',
  headers: {
    'compat-should-retry': { schema: { type: 'string', enum: ['true', 'false'] } },
    'request-id': { schema: { type: 'string' } },
  },
  content: { [JSON_TYPE]: { schema: { $ref: '#/components/schemas/Error' } } },
}
