import { createDocument, type ZodOpenApiOperationObject, type ZodOpenApiResponseObject } from 'zod-openapi'
import {
  type ErrorCode,
  type ErrorKind,
  errorKinds,
  type StaffErrorCode,
  staffErrorKinds,
} from '../errors.ts'
import type { Json } from '../examples.ts'
import { errorsOf, type Operation, type Surface, takesBody, takesKey } from '../operation.ts'
import type { Resource } from '../resources.ts'
import { curlOf, sdkCallOf } from './samples.ts'
import { isNested, isRefused, type JsonSchema, options } from './schema.ts'

const FORM = 'application/x-www-form-urlencoded'
const JSON_TYPE = 'application/json'

interface DocumentOptions {
  readonly title: string
  readonly description: string
  readonly surface: Surface
  readonly operations: readonly Operation[]
  readonly resources: readonly Resource[]
  readonly security: {
    readonly schemes: JsonSchema
    readonly requiredBy: (operation: Operation) => readonly Record<string, string[]>[]
  }
}

const license = { name: 'Apache License 2.0', identifier: 'Apache-2.0' }

/** The api replaces the address with its own when it serves the document. */
const servers = [{ url: '/', description: 'The deployment that serves this document.' }]

const allKinds: Readonly<Record<ErrorCode | StaffErrorCode, ErrorKind>> = {
  ...errorKinds,
  ...staffErrorKinds,
}

/**
 * Builds the OpenAPI 3.1 document of a surface from the declarations, which also validate requests and type handlers.
 */
export function openApiOf(parts: DocumentOptions): JsonSchema {
  const { title, description, surface, operations, resources, security } = parts
  const paths: Record<string, Record<string, ZodOpenApiOperationObject>> = {}
  const own = operations.filter((one) => one.surface === surface)
  for (const operation of own) {
    const { id, method, also, path } = operation
    const described = { ...describe(operation), security: [...security.requiredBy(operation)] }
    paths[path] = { ...paths[path], [method.toLowerCase()]: described }
    if (also === undefined) continue
    const second = also.toLowerCase()
    paths[path] = { ...paths[path], [second]: { ...described, operationId: `${id}.${second}` } }
  }
  const used = new Set(own.map(tagOf))
  const document = createDocument(
    {
      openapi: '3.1.1',
      // The path's prefix is the only version (spec 9.1).
      info: { title, version: 'v1', description, license },
      servers,
      tags: resources
        .filter(({ tag }) => used.has(tag))
        .map(({ tag, title, description }) => ({ name: tag, description, 'x-displayName': title })),
      paths,
      components: {
        securitySchemes: security.schemes as never,
        schemas: { Error: errorSchema(surface === 'dash' ? allKinds : errorKinds) },
        responses: {
          Error: errorResponse,
          Empty: { description: 'No body.' },
          ...refusalComponents(own),
        },
      },
    },
    options,
  ) as unknown as JsonSchema
  for (const methods of Object.values(document['paths'] as Record<string, Record<string, JsonSchema>>)) {
    for (const operation of Object.values(methods)) finish(operation)
  }
  const { schemas } = document['components'] as { schemas: Record<string, JsonSchema> }
  describeReferences(document, schemas)
  return document
}

/** Copies a component's description to each property that refers to it and has no description of its own. */
function describeReferences(node: unknown, schemas: Readonly<Record<string, JsonSchema>>): void {
  if (typeof node !== 'object' || node === null) return
  const { properties } = node as { properties?: Record<string, JsonSchema> }
  for (const property of Object.values(properties ?? {})) {
    const { $ref, description } = property
    if (typeof $ref !== 'string' || description !== undefined) continue
    property['description'] = schemas[$ref.slice($ref.lastIndexOf('/') + 1)]?.['description']
  }
  for (const child of Object.values(node)) describeReferences(child, schemas)
}

/** The resource of an operation, such as `checkout.sessions` for `browser.checkout.sessions.retrieve`. */
export function tagOf({ id }: Pick<Operation, 'id'>): string {
  const nouns = id.split('.').slice(0, -1)
  return nouns.filter((noun) => noun !== 'browser' && noun !== 'dash').join('.')
}

function describe(operation: Operation): ZodOpenApiOperationObject {
  const { id, params, query, body, ok, summary, example } = operation
  const requestParams = { ...(params && { path: params }), ...(query && { query }) }
  const sdkCall = sdkCallOf(operation)
  return {
    operationId: id,
    tags: [tagOf(operation)],
    summary,
    description: descriptionOf(operation),
    requestParams: requestParams as never,
    parameters: takesKey(operation) ? [idempotencyKey as never] : [],
    ...(body && {
      requestBody: {
        content: {
          [FORM]: { schema: body, ...(example.params !== undefined && { example: inForm(example.params) }) },
        },
      },
    }),
    responses: {
      [ok.status]: {
        description: ok.description,
        headers: requestIdHeader,
        content: { [JSON_TYPE]: { schema: ok.schema } },
      },
      ...refusalsOf(operation),
      ...(takesBody(operation) ? { 413: { $ref: '#/components/responses/Empty' } } : {}),
      405: { $ref: '#/components/responses/Empty' },
      default: { $ref: '#/components/responses/Error' },
    },
    'x-codeSamples': [
      ...(sdkCall === null ? [] : [{ lang: 'TypeScript', label: 'Node SDK', source: sdkCall }]),
      { lang: 'Shell', label: 'curl', source: curlOf(operation) },
    ],
  }
}

/** A form has no null: it clears a field with an empty value. */
function inForm(value: Json): Json {
  if (value === null) return ''
  if (typeof value !== 'object') return value
  if (Array.isArray(value)) return value.map(inForm)
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, inForm(one)]))
}

/** The declared description, then the credential and the behaviour of a repeated call. */
const descriptionOf = (operation: Operation): string =>
  [...operation.description, permissionOf(operation), repetitionOf(operation)].join('\n\n')

function permissionOf({ surface, method, role, isGrave }: Operation): string {
  switch (surface) {
    case 'v1':
      return method === 'GET'
        ? 'Scope: `payments:read` or `payments:write` (spec 5.4).'
        : 'Scope: `payments:write` (spec 5.4).'
    case 'browser':
      return 'Credentials: the merchant’s publishable key and the client secret of the payment intent or of its checkout session (spec 5.6).'
    case 'dash': {
      const signIn = isGrave === true ? ' The deployment may require a recent sign-in.' : ''
      return role === 'viewer' || role === undefined
        ? 'Role: every staff member.'
        : `Role: \`${role}\` or higher.${signIn}`
    }
  }
}

function repetitionOf(operation: Operation): string {
  const { method, surface } = operation
  if (method === 'GET') return 'Idempotent: it changes nothing.'
  if (method === 'DELETE') return 'Idempotent by itself: it takes no Idempotency-Key.'
  if (!takesKey(operation)) return 'It takes no Idempotency-Key.'
  return surface === 'dash'
    ? 'Requires an Idempotency-Key: the same request with the same key always returns the same entry.'
    : 'Requires an Idempotency-Key: for 24 hours the same request with the same key has the same answer, byte for byte (spec 8).'
}

/** One response per status, with the codes that it can carry. A response with a single code is a component. */
function refusalsOf(operation: Operation): Record<string, ZodOpenApiResponseObject | { $ref: string }> {
  const codes = errorsOf(operation)
  const statuses = [...new Set(codes.map((code) => allKinds[code].status))].sort((a, b) => a - b)
  return Object.fromEntries(
    statuses.map((status) => {
      const own = codes.filter((code) => allKinds[code].status === status)
      const [first] = own
      if (own.length === 1 && first !== undefined) {
        return [status, { $ref: `#/components/responses/${nameOf(first)}` }]
      }
      return [status, { ...errorResponse, description: own.map((code) => `- ${helpOf(code)}`).join('\n') }]
    }),
  )
}

const helpOf = (code: ErrorCode | StaffErrorCode): string => `\`${code}\`: ${allKinds[code].help}`

/** `resource_missing` becomes `ResourceMissing`. */
const nameOf = (code: string): string =>
  code.replaceAll(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase())

/** The responses to which operations refer. */
function refusalComponents(operations: readonly Operation[]): Record<string, ZodOpenApiResponseObject> {
  const text = JSON.stringify(operations.map(refusalsOf))
  const codes = Object.keys(allKinds) as (ErrorCode | StaffErrorCode)[]
  return Object.fromEntries(
    codes
      .filter((code) => text.includes(`"#/components/responses/${nameOf(code)}"`))
      .map((code) => [nameOf(code), { ...errorResponse, description: helpOf(code) }]),
  )
}

/** Adds to a form what zod does not know: the spelling of maps and lists, and whether it is required. */
function finish(operation: JsonSchema): void {
  const parameters = (operation['parameters'] ?? []) as JsonSchema[]
  operation['parameters'] = parameters.filter(isOfUse).map(finishParameter)
  const body = operation['requestBody'] as { content: Record<string, JsonSchema> } | undefined
  const form = body?.content[FORM]
  if (body === undefined || form === undefined) return
  const schema = form['schema'] as JsonSchema
  const offered = Object.entries((schema['properties'] ?? {}) as Record<string, JsonSchema>).filter(
    ([, property]) => !isRefused(property),
  )
  schema['properties'] = Object.fromEntries(offered)
  const nested = offered.filter(([, property]) => isNested(property))
  if (nested.length > 0) {
    form['encoding'] = Object.fromEntries(
      nested.map(([name]) => [name, { style: 'deepObject', explode: true }]),
    )
  }
  operation['requestBody'] = { required: Array.isArray(schema['required']), ...body }
}

/** Leaves out `expand`, which is accepted and ignored (spec 4.3.4), and refused parameters. */
const isOfUse = ({ name, schema }: JsonSchema): boolean =>
  name !== 'expand' && !isRefused((schema ?? {}) as JsonSchema)

function finishParameter({
  name,
  in: place,
  required,
  description,
  schema,
  ...rest
}: JsonSchema): JsonSchema {
  const { description: inner, ...shape } = schema as JsonSchema
  return {
    name,
    in: place,
    required: place === 'path' || required === true,
    description: description ?? inner,
    schema: shape,
    // Spellings such as `created[gte]=1` and `types[0]=x`.
    ...(place === 'query' && isNested(shape) ? { style: 'deepObject', explode: true } : {}),
    ...rest,
  }
}

const idempotencyKey = {
  name: 'Idempotency-Key',
  in: 'header',
  required: true,
  description:
    '1 to 255 printable ASCII characters, unique to one operation, such as `create-order-42`. Kept for 24 hours: the same request with the same key has the same answer, byte for byte (spec 8).',
  schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[ -~]+$' },
}

const requestIdHeader = {
  'request-id': { description: 'The id of this request. Quote it to support.', schema: { type: 'string' } },
} as const

const errorSchema = (kinds: Readonly<Record<string, ErrorKind>>): JsonSchema => ({
  type: 'object',
  description: 'Every error that the API renders (spec 7.1).',
  required: ['error'],
  additionalProperties: false,
  properties: {
    error: {
      type: 'object',
      description: 'What went wrong.',
      required: ['type', 'code', 'message'],
      additionalProperties: false,
      properties: {
        type: {
          type: 'string',
          enum: [...new Set(Object.values(kinds).map(({ type }) => type))],
          description: 'The family of the error, determined by the code.',
        },
        code: {
          type: 'string',
          enum: Object.keys(kinds),
          description:
            'A stable code for the error. Base decisions on it. Later versions of the service may add codes.',
        },
        message: { type: 'string', description: 'A text for people. It may change.' },
        param: {
          type: 'string',
          description:
            'The faulty parameter in the request’s spelling, cut after 100 characters. Only its first word if another part is no plain word. Absent if no parameter is at fault, or its name has no such word.',
        },
      },
    },
  },
})

const errorResponse: ZodOpenApiResponseObject = {
  description: 'An error. docs/errors.md lists statuses, types and codes.',
  headers: {
    'compat-should-retry': {
      description: 'Whether a retry with the same Idempotency-Key can have another result (spec 7.2).',
      schema: { type: 'string', enum: ['true', 'false'] },
    },
    ...requestIdHeader,
  },
  content: { [JSON_TYPE]: { schema: { $ref: '#/components/schemas/Error' } } },
}
