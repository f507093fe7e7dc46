import type { JsonSchema } from '../openapi/schema.ts'
import { withoutSections } from '../published-text.ts'

/** Direction of a type. In a request, null is the form's empty value and properties are read-only. */
type Mode = 'answer' | 'request'

const LINE_CHARS_MAX = 110

/** Renders a JSON Schema as TypeScript, with a comment for each described property. */
export function typeOf(schema: JsonSchema, mode: Mode, depth: number, names: NameOf): string {
  const { $ref, const: only, enum: words, type, items, properties, additionalProperties, pattern } = schema
  const choices = (schema['anyOf'] ?? schema['oneOf']) as JsonSchema[] | undefined
  if (typeof $ref === 'string') return names($ref.slice($ref.lastIndexOf('/') + 1))
  if (only !== undefined) return literalOf(only, mode)
  if (Array.isArray(words)) return words.map((word) => literalOf(word, mode)).join(' | ')
  if (choices !== undefined) return unionOf(choices, mode, depth, names)
  if (Array.isArray(type))
    return unionOf(
      type.map((one: unknown) => ({ type: one })),
      mode,
      depth,
      names,
    )
  if (type === 'integer' || type === 'number') return 'number'
  if (type === 'array' && schema['maxItems'] === 0) return '[]'
  if (type === 'array') return arrayOf(items as JsonSchema, mode, depth, names)
  if (type === 'object' && properties !== undefined) return objectOf(schema, mode, depth, names)
  if (type === 'object') return recordOf(additionalProperties, mode, depth, names)
  // Names that end in `.*`, which JSON Schema can only express as a pattern.
  if (type === 'string' && pattern === String.raw`\.\*$`) return '`${string}.*`'
  return typeof type === 'string' ? type : 'unknown'
}

/** The name of a component in a package. */
export type NameOf = (component: string) => string

/** Forms spell booleans as words. */
const literalOf = (value: unknown, mode: Mode): string =>
  mode === 'request' && (value === 'true' || value === 'false') ? value : quote(value)

const quote = (value: unknown): string => (typeof value === 'string' ? `'${value}'` : JSON.stringify(value))

function unionOf(choices: readonly JsonSchema[], mode: Mode, depth: number, names: NameOf): string {
  const parts = choices.map((choice) =>
    mode === 'request' && choice['maxLength'] === 0 ? 'null' : typeOf(choice, mode, depth, names),
  )
  return [...new Set(parts)].join(' | ')
}

function arrayOf(items: JsonSchema, mode: Mode, depth: number, names: NameOf): string {
  const item = typeOf(items, mode, depth, names)
  const array = / \| /.test(item) ? `(${item})[]` : `${item}[]`
  return mode === 'request' ? `readonly ${array}` : array
}

function recordOf(entry: unknown, mode: Mode, depth: number, names: NameOf): string {
  const value =
    typeof entry === 'object' && entry !== null ? typeOf(entry as JsonSchema, mode, depth, names) : 'unknown'
  return mode === 'request' ? `Readonly<Record<string, ${value}>>` : `Record<string, ${value}>`
}

function objectOf(schema: JsonSchema, mode: Mode, depth: number, names: NameOf): string {
  const indent = '  '.repeat(depth)
  return `{\n${membersOf(schema, mode, depth + 1, names)}\n${indent}}`
}

/** Renders the properties of an object, each with its comment. */
export function membersOf(schema: JsonSchema, mode: Mode, depth: number, names: NameOf): string {
  const required = (schema['required'] ?? []) as string[]
  const properties = (schema['properties'] ?? {}) as Record<string, JsonSchema>
  return Object.entries(properties)
    .map(([name, property]) => memberOf(name, property, required.includes(name), mode, depth, names))
    .join('\n')
}

function memberOf(
  name: string,
  property: JsonSchema,
  isRequired: boolean,
  mode: Mode,
  depth: number,
  names: NameOf,
): string {
  const indent = '  '.repeat(depth)
  const type = typeOf(property, mode, depth, names)
  const whole = mode === 'request' && !isRequired && takesEmpty(property) ? `${type} | null` : type
  const description = property['description']
  const comment = typeof description === 'string' ? `${commentOf(description, depth)}\n` : ''
  return `${comment}${indent}${name}${isRequired ? `: ${whole}` : `?: ${whole} | undefined`}`
}

/** True for text that may be empty, which is the form's null. */
function takesEmpty({ type, enum: words, const: only, minLength, pattern }: JsonSchema): boolean {
  if (type !== 'string' || words !== undefined || only !== undefined) return false
  if (typeof minLength === 'number' && minLength > 0) return false
  return typeof pattern !== 'string' || new RegExp(pattern).test('')
}

/** Renders a comment, on one line if it fits. Empty lines separate paragraphs; fenced examples stay as they are. */
export function commentOf(text: string, depth: number): string {
  const indent = '  '.repeat(depth)
  const safe = withoutSections(text).replaceAll('*/', '* /')
  const single = `${indent}/** ${safe} */`
  if (!safe.includes('\n') && single.length <= LINE_CHARS_MAX) return single
  const lines = linesOf(safe, LINE_CHARS_MAX - indent.length - 3)
  const body = lines.map((line) => `${indent} *${line === '' ? '' : ` ${line}`}`)
  return [`${indent}/**`, ...body, `${indent} */`].join('\n')
}

/** Wraps text into lines, except within fences. */
function linesOf(text: string, charsMax: number): string[] {
  let isCode = false
  return text.split('\n').flatMap((line) => {
    const isFence = line.startsWith('```')
    if (isFence) isCode = !isCode
    if (isFence || isCode) return [line]
    // Keeps a link as one word.
    const whole = line.replaceAll('{@link ', '{@link\u00a0')
    return wrap(whole, charsMax).map((part) => part.replaceAll('\u00a0', ' '))
  })
}

function wrap(line: string, charsMax: number): string[] {
  if (line.length <= charsMax) return [line]
  const at = line.lastIndexOf(' ', charsMax)
  return at <= 0 ? [line] : [line.slice(0, at), ...wrap(line.slice(at + 1), charsMax)]
}

interface Declared {
  readonly name: string
  readonly schema: JsonSchema
  readonly mode: Mode
  readonly names: NameOf
  readonly isExported: boolean
  /** TypeScript that shows how the type is used. */
  readonly usage?: string | undefined
  readonly base?: string
}

/** Declares a component: an interface for an object, otherwise a type. */
export function declarationOf({ name, schema, mode, names, isExported, usage, base }: Declared): string {
  const description = schema['description']
  const text = typeof description === 'string' ? description : ''
  const example = usage === undefined ? '' : `\n\n@example\n\`\`\`ts\n${usage}\n\`\`\``
  const comment = text + example === '' ? '' : `${commentOf(text + example, 0)}\n`
  const keyword = isExported ? 'export ' : ''
  if (schema['properties'] === undefined) {
    return `${comment}${keyword}type ${name} =${brokenUnion(typeOf(schema, mode, 0, names))}`
  }
  const extending = base === undefined ? '' : ` extends ${base}`
  const members = membersOf(schema, mode, 1, names)
  return `${comment}${keyword}interface ${name}${extending} {${members === '' ? '' : `\n${members}\n`}}`
}

const brokenUnion = (type: string): string =>
  type.length > 80 && !type.includes('\n')
    ? type
        .split(' | ')
        .map((part) => `\n  | ${part}`)
        .join('')
    : ` ${type}`

export const GENERATED =
  '// Generated from packages/contract by `npx pnpm@12 openapi`. Do not edit: change the declaration.'
