/** The parts of an OpenAPI document that the pages show. */
export interface OpenApi {
  readonly tags: readonly {
    readonly name: string
    readonly description: string
    readonly 'x-displayName': string
  }[]
  readonly paths: Readonly<Record<string, Readonly<Record<string, ApiOperation>>>>
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>
    readonly responses: Readonly<Record<string, ApiResponse>>
  }
}

interface ApiOperation {
  readonly operationId: string
  readonly tags: readonly string[]
  readonly summary: string
  readonly description: string
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> }
  readonly responses: Readonly<Record<string, ApiResponse>>
  readonly 'x-codeSamples'?: readonly { readonly lang: string; readonly source: string }[]
}

interface Parameter {
  readonly name: string
  readonly required?: boolean
  readonly description: string
  readonly schema: Schema
}

interface ApiResponse {
  readonly $ref?: string
  readonly description?: string
  readonly content?: Readonly<Record<string, { readonly schema: Schema }>>
}

interface Schema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly description?: string
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly items?: Schema
  readonly enum?: readonly (string | number | boolean | null)[]
  readonly const?: string | number | boolean
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
}

export interface ApiPage {
  readonly path: string
  readonly title: string
  readonly text: string
}

const OBJECTS = 'api/objects'

/** A page for each resource, and one for the objects that they answer with. */
export function apiPages(document: OpenApi): readonly ApiPage[] {
  const all = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  )
  const resources = document.tags.flatMap((tag) => {
    const own = all.filter(({ operation }) => operation.tags.includes(tag.name))
    const title = tag['x-displayName']
    const sections = own.map(({ path, method, operation }) =>
      sectionOf(document, `${method} ${path}`, operation),
    )
    const path = `api/${tag.name.replaceAll('.', '-')}`
    return own.length === 0 ? [] : [{ path, title, text: join(`# ${title}`, tag.description, ...sections) }]
  })
  return [...resources, { path: OBJECTS, title: 'Objects', text: objectsPage(document) }]
}

const join = (...parts: readonly string[]): string => `${parts.filter((part) => part !== '').join('\n\n')}\n`

function sectionOf(document: OpenApi, route: string, operation: ApiOperation): string {
  const { summary, description, parameters = [], requestBody, responses } = operation
  const body = Object.values(requestBody?.content ?? {})[0]?.schema
  const rows = [
    ...parameters.map(
      ({ name, required = false, description, schema }) => [name, schema, required, description] as const,
    ),
    ...Object.entries(body?.properties ?? {}).map(
      ([name, schema]) =>
        [name, schema, body?.required?.includes(name) === true, schema.description ?? ''] as const,
    ),
  ]
  const samples = (operation['x-codeSamples'] ?? []).map(
    ({ lang, source }) => `\`\`\`${lang === 'Shell' ? 'sh' : 'ts'}\n${source}\n\`\`\``,
  )
  return join(
    `## ${summary}`,
    `\`${route}\``,
    withAddresses(description),
    rows.length === 0
      ? ''
      : table(
          ['parameter', 'type', 'required', 'what it is'],
          rows.map(([name, schema, required, words]) => [
            `\`${name}\``,
            typeOf(schema),
            required ? 'yes' : '',
            words,
          ]),
        ),
    ...samples,
    table(
      ['answer', 'when'],
      Object.entries(responses)
        .filter(([status]) => status !== 'default')
        .map(([status, response]) => [status, answerOf(document, response)]),
    ),
  )
}

function answerOf(document: OpenApi, response: ApiResponse): string {
  const { description = '', content } =
    response.$ref === undefined
      ? response
      : (document.components.responses[nameOf(response.$ref)] ?? response)
  const schema = Object.values(content ?? {})[0]?.schema
  const object = schema?.$ref === undefined || nameOf(schema.$ref) === 'Error' ? '' : ` ${typeOf(schema)}`
  return withAddresses(description) + object
}

const objectsPage = ({ components }: OpenApi): string =>
  join(
    '# Objects',
    ...Object.entries(components.schemas).map(([name, schema]) =>
      join(
        `## ${name}`,
        withAddresses(schema.description ?? ''),
        schema.properties === undefined
          ? typeOf(schema)
          : table(
              ['field', 'type', 'what it is'],
              Object.entries(schema.properties).map(([field, of]) => [
                `\`${field}\``,
                typeOf(of),
                of.description ?? '',
              ]),
            ),
      ),
    ),
  )

const nameOf = (ref: string): string => ref.slice(ref.lastIndexOf('/') + 1)

function typeOf(schema: Schema): string {
  if (schema.$ref !== undefined) {
    const name = nameOf(schema.$ref)
    return `[${name}](/${OBJECTS}#${name.toLowerCase()})`
  }
  if (schema.const !== undefined) return `\`${String(schema.const)}\``
  if (schema.enum !== undefined) return schema.enum.map((one) => `\`${String(one)}\``).join(', ')
  const either = schema.anyOf ?? schema.oneOf
  if (either !== undefined) return either.map(typeOf).join(' or ')
  if (schema.items !== undefined) return `list of ${typeOf(schema.items)}`
  return [schema.type ?? 'any'].flat().join(' or ')
}

/** The documents name a file of the repository in some descriptions. */
const withAddresses = (text: string): string => text.replaceAll('docs/errors.md', '[Errors](/errors)')

const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows]
    .map(
      (cells) =>
        `| ${cells.map((cell) => cell.replaceAll('|', String.raw`\|`).replaceAll('\n', '<br>')).join(' | ')} |`,
    )
    .join('\n')
