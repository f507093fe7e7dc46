import type { JsonSchema } from './schema.ts'

/** The parts of an OpenAPI operation that have schemas. */
interface Operation {
  readonly parameters?: unknown
  readonly requestBody?: unknown
  readonly responses?: Readonly<Record<string, { readonly content?: unknown }>>
}

type Schemas = Readonly<Record<string, JsonSchema>>

/**
 * Returns the document with open answers, because a minor version adds members, codes and states: a validator or a
 * generated client accepts the members and words that it does not know. Descriptions list the known words, and
 * `x-extensible-enum` has them for generators. Requests stay closed. See docs/decisions/0042-published-answers-are-open.md.
 */
export function withOpenAnswers(document: JsonSchema): JsonSchema {
  const open = structuredClone(document)
  const { schemas, responses } = open['components'] as {
    schemas: Schemas
    responses: Operation['responses']
  }
  const operations = Object.values(open['paths'] as Record<string, Record<string, Operation>>).flatMap(
    (methods) => Object.values(methods),
  )
  const webhooks = Object.values((open['webhooks'] ?? {}) as Record<string, { post: Operation }>)
  const sent = [
    ...[{ responses }, ...operations].flatMap((one) => Object.values(one.responses ?? {})),
    ...webhooks.map(({ post }) => post.requestBody),
  ].map((body) => (body as { content?: unknown } | undefined)?.content)

  const shared = componentsOf(sent, schemas)
  const declared = structuredClone(schemas)
  for (const { parameters, requestBody } of operations)
    keepClosed([parameters, requestBody], shared, declared)
  for (const schema of [...sent, ...[...shared].map((name) => schemas[name])]) openIn(schema, declared)
  return open
}

const isNode = (value: unknown): value is JsonSchema => typeof value === 'object' && value !== null

const nameOf = ($ref: unknown): string | undefined =>
  typeof $ref === 'string' ? $ref.split('#/components/schemas/')[1] : undefined

/** The names of the components to which the nodes refer, also by way of others. */
function componentsOf(nodes: unknown, schemas: Schemas, found = new Set<string>()): Set<string> {
  if (!isNode(nodes)) return found
  const name = nameOf(nodes['$ref'])
  if (name !== undefined && !found.has(name)) componentsOf(schemas[name], schemas, found.add(name))
  for (const child of Object.values(nodes)) componentsOf(child, schemas, found)
  return found
}

/** Puts the declared form of each shared component into the request that refers to it. */
function keepClosed(node: unknown, shared: ReadonlySet<string>, declared: Schemas): void {
  if (!isNode(node)) return
  const name = nameOf(node['$ref'])
  if (name !== undefined && shared.has(name)) {
    const { $ref: _, ...own } = node
    delete node['$ref']
    Object.assign(node, structuredClone(declared[name]), own)
  }
  for (const child of Object.values(node)) keepClosed(child, shared, declared)
}

function openIn(node: unknown, declared: Schemas): void {
  if (!isNode(node)) return
  const { description, enum: words } = node
  if (node['additionalProperties'] === false) delete node['additionalProperties']
  if (typeof description === 'string') node['description'] = told(description, wordsOf(node, declared))
  if (Array.isArray(words)) {
    delete node['enum']
    node['x-extensible-enum'] = words
  }
  for (const child of Object.values(node)) openIn(child, declared)
}

function wordsOf(node: unknown, declared: Schemas): readonly string[] {
  if (!isNode(node)) return []
  const { $ref, enum: words, anyOf, items } = node
  if (Array.isArray(words)) return words.map(String)
  const name = nameOf($ref)
  if (name !== undefined) return wordsOf(declared[name], declared)
  return [...((anyOf ?? []) as unknown[]), items].flatMap((part) => wordsOf(part, declared))
}

function told(description: string, words: readonly string[]): string {
  const quoted = words.map((word) => `\`${word}\``)
  return quoted.every((word) => description.includes(word))
    ? description
    : `${description} Known words: ${quoted.join(', ')}.`
}
