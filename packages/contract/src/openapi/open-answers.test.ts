import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, test } from 'vitest'
import { declaredDocuments, documents } from './documents.ts'
import type { JsonSchema } from './schema.ts'

interface Content {
  readonly content?: Record<string, { readonly schema: JsonSchema }>
}

interface Operation {
  readonly parameters: readonly { readonly name: string; readonly schema: JsonSchema }[]
  readonly requestBody?: Content
  readonly responses: Record<string, Content>
}

interface Document {
  readonly paths: Record<string, Record<string, Operation>>
  readonly webhooks?: Record<string, { readonly post: Operation }>
  readonly components: { readonly schemas: Record<string, JsonSchema> }
}

const pointer = (...parts: string[]): string =>
  parts.map((part) => `/${part.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')

/** Where the document has the schema of an answer or of a webhook's body, which the service sends. */
function sentIn({ paths, webhooks = {} }: Document): string[] {
  const answers = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, { responses }]) =>
      Object.entries(responses).flatMap(([status, { content = {} }]) =>
        Object.keys(content).map((type) =>
          pointer('paths', path, method, 'responses', status, 'content', type, 'schema'),
        ),
      ),
    ),
  )
  const bodies = Object.keys(webhooks).map((type) =>
    pointer('webhooks', type, 'post', 'requestBody', 'content', 'application/json', 'schema'),
  )
  return [...answers, ...bodies, '/components/schemas/Error']
}

const at = (document: object, path: string): JsonSchema =>
  path
    .split('/')
    .slice(1)
    .reduce<unknown>(
      (node, part) => (node as JsonSchema)[part.replaceAll('~1', '/').replaceAll('~0', '~')],
      document,
    ) as JsonSchema

/** What a later version may send: each object has a member more, and each word of a list is another one. */
const LATER = { later_member: { later: true } }
const LATER_WORD = 'a_later_word'

/** A text for the patterns of ids and days. */
const matching = (pattern: string): string =>
  pattern
    .replaceAll(/[$^]/g, '')
    .replace('[0-9a-f]{32}', '0'.repeat(32))
    .replace(String.raw`\d{4}`, '2026')
    .replaceAll(String.raw`\d`, '0')

/** A value of the schema, as the present version sends it or as a later one does. */
function valueOf(schema: JsonSchema, document: Document, isLater: boolean): unknown {
  const { $ref, anyOf, enum: words, const: only, examples, type, properties, items } = schema
  const ofPart = (part: unknown) => valueOf(part as JsonSchema, document, isLater)
  if (typeof $ref === 'string') return ofPart(at(document, $ref.slice(1)))
  if (Array.isArray(anyOf)) return ofPart(anyOf[0])
  if (Array.isArray(words)) return isLater ? LATER_WORD : words[0]
  if (only !== undefined) return only
  if (Array.isArray(examples)) return examples[0]
  if (properties !== undefined) {
    const members = Object.entries(properties as object).map(([name, one]) => [name, ofPart(one)])
    return { ...Object.fromEntries(members), ...(isLater && LATER) }
  }
  if (typeof schema['pattern'] === 'string') return matching(schema['pattern'])
  if (type === 'array') return schema['maxItems'] === 0 ? [] : [ofPart(items)]
  const plain = { string: 'text', integer: 1, number: 0.5, boolean: true, null: null, object: {} }
  return plain[[type].flat()[0] as keyof typeof plain]
}

describe.each(['v1', 'browser', 'dash'] as const)('the OpenAPI document of %s', (name) => {
  const declared = declaredDocuments[name]() as unknown as Document
  const published = documents[name]() as unknown as Document
  const ajv = new Ajv2020({ strict: false, inlineRefs: false, schemas: { declared, published } })
  const accepts = (document: 'declared' | 'published', path: string, value: unknown) =>
    ajv.getSchema(`${document}#${encodeURI(path)}`)?.(value)

  test('accepts what the service sends, and what a later version adds to it', () => {
    const sent = sentIn(published)
    expect(sent.length).toBeGreaterThan(5)
    for (const path of sent) {
      const now = valueOf(at(declared, path), declared, false)
      const later = valueOf(at(declared, path), declared, true)
      const seen = {
        declared: [accepts('declared', path, now), accepts('declared', path, later)],
        published: [accepts('published', path, now), accepts('published', path, later)],
      }
      // OAuth decides what its answers have.
      const isOfOAuth = path.includes('~1oauth~1token')
      expect({ path, ...seen }).toEqual({ path, declared: [true, isOfOAuth], published: [true, true] })
    }
  })

  test('still tells the words that the service sends', () => {
    const wordsIn = (node: unknown): string[] => {
      if (typeof node !== 'object' || node === null) return []
      const { enum: own = [] } = node as { enum?: string[] }
      return [...(Array.isArray(own) ? own : []), ...Object.values(node).flatMap(wordsIn)]
    }
    const { schemas } = published.components
    const text = JSON.stringify(schemas)
    const closed = new Set(wordsIn(schemas))
    const opened = wordsIn(declared.components.schemas).filter((word) => !closed.has(word))
    expect(opened.length).toBeGreaterThan(10)
    expect(opened.filter((word) => !text.includes(`\`${word}\``))).toEqual([])
  })

  test('sends a constant word only as the kind of an object, the type of a webhook and what OAuth fixes', () => {
    const constantsIn = (node: unknown, path: string): string[] => {
      if (typeof node !== 'object' || node === null) return []
      const own = 'const' in node && typeof node.const === 'string' ? [path] : []
      return [...own, ...Object.entries(node).flatMap(([key, one]) => constantsIn(one, `${path}/${key}`))]
    }
    const paths = [...sentIn(published), '/components/schemas']
    const constants = paths.flatMap((path) => constantsIn(at(published, path), path))
    const fixed = /\/object$|^\/webhooks\/.*\/type$|~1oauth~1token.*\/token_type$/
    expect(constants.length).toBeGreaterThan(2)
    expect(constants.filter((path) => !fixed.test(path))).toEqual([])
  })

  test('keeps its requests closed', () => {
    const asked = ({ paths }: Document) =>
      Object.values(paths).flatMap((methods) =>
        Object.values(methods).flatMap(({ parameters, requestBody }) => [
          ...parameters.map(({ schema }) => schema),
          ...Object.values(requestBody?.content ?? {}).map(({ schema }) => schema),
        ]),
      )
    const whole = (node: unknown, document: Document): unknown => {
      if (Array.isArray(node)) return node.map((one) => whole(one, document))
      if (typeof node !== 'object' || node === null) return node
      const { $ref, ...rest } = node as JsonSchema
      const named = typeof $ref === 'string' ? at(document, $ref.slice(1)) : {}
      return Object.fromEntries(
        Object.entries({ ...named, ...rest }).map(([key, one]) => [key, whole(one, document)]),
      )
    }
    expect(whole(asked(published), published)).toEqual(whole(asked(declared), declared))
  })
})
