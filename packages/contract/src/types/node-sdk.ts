import { type ErrorCode, type ErrorKind, errorKinds } from '../errors.ts'
import { isSnapshot } from '../openapi/beside.ts'
import { tagOf } from '../openapi/document.ts'
import { declaredDocuments, operations } from '../openapi/documents.ts'
import { sdkCallOf } from '../openapi/samples.ts'
import type { JsonSchema } from '../openapi/schema.ts'
import type { Operation } from '../operation.ts'
import { resources } from '../resources.ts'
import { eventDeclarations, snapshotOf } from './events.ts'
import { railDeclarations } from './rails.ts'
import { commentOf, declarationOf, GENERATED, typeOf } from './type-script.ts'
import { usage } from './usage.ts'

/** The type of a resource and the interface of its calls, by the tag of its operations. */
const typesByTag: Readonly<Record<string, { readonly type: string; readonly calls: string }>> = {
  accountHolders: { type: 'AccountHolder', calls: 'AccountHolders' },
  'checkout.sessions': { type: 'CheckoutSession', calls: 'CheckoutSessions' },
  customers: { type: 'Customer', calls: 'Customers' },
  events: { type: 'Event', calls: 'Events' },
  invoiceItems: { type: 'InvoiceItem', calls: 'InvoiceItems' },
  invoices: { type: 'Invoice', calls: 'Invoices' },
  paymentIntents: { type: 'PaymentIntent', calls: 'PaymentIntents' },
  refunds: { type: 'Refund', calls: 'Refunds' },
}

/** Written by hand in the SDK: `Event` is a union that narrows by its type, and errors are classes. */
const notPlain = new Set(['Error', 'Event'])

/** Accepted for clients of the compatible API (spec 4.3.3), and so left out of the SDK. */
const compatible = new Set(['capture_method'])

/** Used within the SDK's types, but not exported. */
const inner = new Set(['Locale'])

const PAGING = ['limit', 'starting_after', 'ending_before']

const v1Operations = operations.filter(({ surface }) => surface === 'v1')
const asIs = (name: string): string => name

/** Resources whose snapshot in an event has fewer or narrower properties than the resource itself. */
const narrowed = ['PaymentIntent', 'CheckoutSession', 'Invoice']
const inEvents = (name: string): string => (narrowed.includes(name) ? `${name}Snapshot` : name)

interface Documented {
  readonly parameters: readonly {
    in: string
    name: string
    required: boolean
    description: string
    schema: JsonSchema
  }[]
  readonly requestBody?: { content: Record<string, { schema: JsonSchema }> }
  readonly responses: Record<string, { content: Record<string, { schema: JsonSchema }> }>
}

/** Declares every object and every set of parameters of /v1. */
export function nodeSdkTypes(): string {
  const document = declaredDocuments.v1()
  const schemas = (document['components'] as { schemas: Record<string, JsonSchema> }).schemas
  const components = Object.entries(schemas)
    .filter(([name]) => !notPlain.has(name) && !isSnapshot(name))
    .map(([name, schema]) =>
      declarationOf({
        name,
        schema,
        mode: 'answer',
        names: asIs,
        isExported: !inner.has(name),
        usage: usage[name],
      }),
    )
  const parameters = v1Operations.flatMap((operation) => {
    const { name, schema, base } = paramsOf(operation, document)
    if (name === null || name === 'ListParams') return []
    return [
      declarationOf({
        name,
        schema,
        mode: 'request',
        names: asIs,
        isExported: true,
        usage: usage[name],
        ...(base === null ? {} : { base }),
      }),
    ]
  })
  return `${[
    GENERATED,
    ...components,
    errorCodes(),
    ...railDeclarations(),
    ...narrowed.map((name) => snapshotDeclaration(name, schemas[name] ?? {})),
    ...eventDeclarations(schemas['Event'] ?? {}, inEvents, ['EventObjects']),
    ...eventUnion(),
    ...paging(document),
    ...parameters,
  ].join('\n\n')}\n`
}

function snapshotDeclaration(name: string, schema: JsonSchema): string {
  const snapshot = snapshotOf(name, schema)
  const description = `A \`${name}\` as it is in an event: without secret, page address and lines (spec 6.2).`
  return declarationOf({
    name: inEvents(name),
    schema: { ...snapshot, description },
    mode: 'answer',
    names: asIs,
    isExported: true,
  })
}

/** Declares the calls of each resource. */
export function nodeSdkCalls(): string {
  const document = declaredDocuments.v1()
  const tags = resources.filter(({ tag }) => typesByTag[tag] !== undefined)
  const used = new Set<string>()
  const interfaces = tags.map(({ tag, description }) => {
    const calls = typesByTag[tag]?.calls ?? ''
    const own = v1Operations.filter((operation) => tagOf(operation) === tag)
    const methods = inOrder(own).map((operation) => methodOf(operation, document, used))
    const example = `${description}\n\n@example\n\`\`\`ts\n${usage[calls] ?? ''}\n\`\`\``
    return `${commentOf(example, 0)}\nexport interface ${calls} {\n${methods.join('\n\n')}\n}`
  })
  const types = [...used].sort((a, b) => (a < b ? -1 : 1))
  const imports = [
    "import type { Listing } from './list.ts'",
    "import type { ReadOptions, RequestOptions } from './request.ts'",
    "import type { PendingCall, Result } from './result.ts'",
    `import type {\n${types.map((name) => `  ${name},\n`).join('')}} from './wire.ts'`,
  ].join('\n')
  return `${[`${GENERATED}\n${imports}`, ...interfaces].join('\n\n')}\n`
}

/** Sorts by use: create, list, retrieve, change, remove, then the others. */
function inOrder(own: readonly Operation[]): readonly Operation[] {
  const order = ['create', 'list', 'retrieve', 'update', 'del']
  const rank = ({ id }: Operation) => {
    const at = order.indexOf(verbOf(id))
    return at === -1 ? order.length : at
  }
  return own.toSorted((a, b) => rank(a) - rank(b))
}

const lowerFirst = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1)

const verbOf = (id: string): string => id.slice(id.lastIndexOf('.') + 1)

function methodOf(operation: Operation, document: JsonSchema, used: Set<string>): string {
  const { id, path, method } = operation
  const params = paramsOf(operation, document)
  if (params.name !== null) used.add(params.name)
  const isNeeded = params.required.length > 0
  const args = [
    ...(path.includes('{id}') ? ['id: string'] : []),
    ...(params.name === null ? [] : [`params${isNeeded ? '' : '?'}: ${params.name}`]),
    `options?: ${method === 'GET' || method === 'DELETE' ? 'ReadOptions' : 'RequestOptions'}`,
  ]
  const answer = answerOf(operation, document)
  used.add(answer.type)
  const result = answer.isList ? `Listing<${answer.type}>` : `PendingCall<Result<${answer.type}>>`
  return `${commentOf(wordsOf(operation), 1)}\n  ${verbOf(id)}(${args.join(', ')}): ${result}`
}

function wordsOf(operation: Operation): string {
  const { summary, description } = operation
  const call = sdkCallOf(operation) ?? ''
  const refusals = refusalsOf(operation)
  return [
    `${summary}.`,
    ...description,
    ...(refusals === '' ? [] : [refusals]),
    `@example\n\`\`\`ts\nconst answer = ${call}\n\`\`\``,
  ].join('\n\n')
}

const classes: Readonly<Partial<Record<number, string>>> = {
  409: 'ConflictError',
  501: 'NotSupportedError',
  502: 'ProviderUnavailableError',
}

/** The errors specific to a call, by the class that the SDK throws for each. */
function refusalsOf({ errors }: Operation): string {
  const kinds: Readonly<Record<string, ErrorKind>> = errorKinds
  const found = Object.entries(classes).flatMap(([status, name]) => {
    const codes = errors.filter((code) => kinds[code]?.status === Number(status))
    return codes.length === 0 ? [] : [`a {@link ${name}} (${codes.map((code) => `\`${code}\``).join(', ')})`]
  })
  return found.length === 0 ? '' : `Rejects with ${found.join(', ')}.`
}

interface Params {
  readonly name: string | null
  readonly schema: JsonSchema
  readonly base: string | null
  readonly required: readonly string[]
}

function paramsOf(operation: Operation, document: JsonSchema): Params {
  const none: Params = { name: null, schema: {}, base: null, required: [] }
  const { type } = typesByTag[tagOf(operation)] ?? { type: '' }
  const verb = verbOf(operation.id)
  const found = documented(operation, document)
  const name = `${type}${verb.charAt(0).toUpperCase()}${verb.slice(1)}Params`
  const body = Object.values(found.requestBody?.content ?? {})[0]?.schema
  if (body !== undefined) {
    const properties = Object.entries((body['properties'] ?? {}) as Record<string, JsonSchema>)
    const shown = Object.fromEntries(
      properties
        .filter(([one]) => !compatible.has(one))
        .map(([one, property]) => [
          one,
          { ...railDataOf(one, property), description: property['description'] },
        ]),
    )
    const required = (body['required'] ?? []) as string[]
    const description = `Parameters of \`${operation.id}\`: ${lowerFirst(operation.summary)}.`
    return { name, schema: { description, properties: shown, required }, base: null, required }
  }
  if (operation.query === undefined) return none
  const query = found.parameters.filter((parameter) => parameter.in === 'query')
  const isList = query.some((parameter) => parameter.name === 'starting_after')
  const own = isList ? query.filter((parameter) => !PAGING.includes(parameter.name)) : query
  if (isList && own.length === 0) return { ...none, name: 'ListParams' }
  const properties = Object.fromEntries(
    own.map(({ name: one, description, schema }) => [one, { ...filterOf(one, schema), description }]),
  )
  const required = own.filter((parameter) => parameter.required).map((parameter) => parameter.name)
  const description = isList
    ? `Filters of \`${operation.id}\`. All given filters must hold.`
    : `Parameters of \`${operation.id}\`: ${lowerFirst(operation.summary)}.`
  return { name, schema: { description, properties, required }, base: isList ? 'ListParams' : null, required }
}

/** The contract takes any rail code. The SDK types the instruments of the rails that it knows. */
const railDataOf = (name: string, schema: JsonSchema): JsonSchema =>
  name === 'payment_method_data' ? { $ref: '#/components/schemas/PaymentMethodData' } : schema

/** One shared type for the filter that most lists have. */
const filterOf = (name: string, schema: JsonSchema): JsonSchema =>
  name === 'created' ? { $ref: '#/components/schemas/CreatedFilter' } : schema

function documented({ method, path }: Operation, document: JsonSchema): Documented {
  const paths = document['paths'] as Record<string, Record<string, Documented>>
  const found = paths[path]?.[method.toLowerCase()]
  if (found === undefined) throw new Error(`the document has no ${method} ${path}`)
  return found
}

/** The type of a call's answer, or of a list's items. */
function answerOf(operation: Operation, document: JsonSchema): { type: string; isList: boolean } {
  const response = documented(operation, document).responses[operation.ok.status]
  const schema = Object.values(response?.content ?? {})[0]?.schema ?? {}
  const properties = schema['properties'] as { data?: { items: JsonSchema } } | undefined
  const items = properties?.data?.items
  return { type: typeOf(items ?? schema, 'answer', 0, asIs), isList: items !== undefined }
}

/** Declares the parameters of every list, and the filter by time. */
function paging(document: JsonSchema): string[] {
  const list = v1Operations.find(({ id }) => id === 'events.list')
  if (list === undefined) throw new Error('there is no list of events')
  const { parameters } = documented(list, document)
  const shown = parameters.filter(({ name }) => PAGING.includes(name))
  const properties = Object.fromEntries(
    shown.map(({ name, description, schema }) => [name, { ...schema, description }]),
  )
  const created = parameters.find(({ name }) => name === 'created')
  return [
    declarationOf({
      name: 'ListParams',
      schema: {
        description:
          'Paging of every list. Lists are newest first: `starting_after` pages towards older objects, `ending_before` towards newer ones.',
        properties,
      },
      mode: 'request',
      names: asIs,
      isExported: true,
      usage: usage['ListParams'],
    }),
    declarationOf({
      name: 'CreatedFilter',
      schema: { ...created?.schema, description: 'When an object was created: one Unix second, or bounds.' },
      mode: 'request',
      names: asIs,
      isExported: true,
      usage: usage['CreatedFilter'],
    }),
  ]
}

function errorCodes(): string {
  const codes = Object.keys(errorKinds) as ErrorCode[]
  const types = [...new Set(Object.values(errorKinds).map(({ type }) => type))]
  return [
    declarationOf({
      name: 'ErrorCode',
      schema: {
        enum: codes,
        description:
          'Every `code` that the API renders (spec 7). A later version of the service may add one.',
      },
      mode: 'answer',
      names: asIs,
      isExported: true,
      usage: usage['ErrorCode'],
    }),
    declarationOf({
      name: 'ApiErrorType',
      schema: { enum: types, description: 'The `type` of an error that the service renders (spec 7.2).' },
      mode: 'answer',
      names: asIs,
      isExported: true,
    }),
  ].join('\n\n')
}

const eventUnion = (): string[] => [
  `${commentOf('An event of one known type.', 0)}
export type EventOf<T extends EventType> = Envelope<T, EventObjects[T]>`,
  `// Matches none of the fifteen, so that comparing \`type\` excludes this member. A plain \`string\` would not be.
type UnknownEventType = \`(unknown to this version) \${string}\``,
  `${commentOf('An event of a type that is newer than this package. Treat its `type` as an opaque string.', 0)}
export type UnknownEvent = Envelope<UnknownEventType, Record<string, unknown>>`,
  `${commentOf(
    `A record of a state change. Comparing \`type\` narrows \`data.object\`, the resource after the change. It is the same type as that of a verified webhook, so that one handler serves both.\n\n@example\n\`\`\`ts\n${usage['Event'] ?? ''}\n\`\`\``,
    0,
  )}\nexport type Event = { [T in EventType]: EventOf<T> }[EventType] | UnknownEvent`,
]
