import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { errorsOf } from '../operation.ts'
import { documents, operations } from './documents.ts'
import type { JsonSchema } from './schema.ts'
import { eventTypes } from '../words.ts'

/** Rejects descriptions of a single word. */
const DESCRIPTION_CHARS_MIN = 11

const smallWords = new Set(['a', 'an', 'all', 'the', 'of', 'one', 'to', 'by', 'its', 'with'])

/** `checkout.sessions.create` and `Create checkout sessions` have the same words. */
const wordsOf = (text: string): string[] =>
  text
    .replaceAll(/[A-Z]/g, (letter) => ` ${letter}`)
    .toLowerCase()
    .split(/[^a-z]+/)
    .map((word) => word.replace(/s$/, ''))
    .filter((word) => word !== '')

type Paths = Record<string, Record<string, JsonSchema>>

const written = (name: string): string =>
  readFileSync(new URL(`../../openapi/${name}.json`, import.meta.url), 'utf8')

describe.each(Object.entries(documents))('the OpenAPI document of %s', (name, document) => {
  const made = document()
  const paths = made['paths'] as Paths

  test('matches the file in the repository: `npx pnpm@12 openapi` writes it again', () => {
    expect(`${JSON.stringify(made, null, 2)}\n`).toBe(written(name))
  })

  test('has exactly the routes of its surface [§4.2]', () => {
    const routes = Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { operationId }]) => `${String(operationId)} ${method} ${path}`),
    )
    const declared = operations.filter(({ surface }) => surface === name)
    const wanted = declared.flatMap(({ id, method, also, path }) => [
      `${id} ${method.toLowerCase()} ${path}`,
      ...(also === undefined ? [] : [`${id}.${also.toLowerCase()} ${also.toLowerCase()} ${path}`]),
    ])
    const beside = name === 'v1' ? ['oauth.token post /v1/oauth/token'] : []
    expect(new Set(routes)).toEqual(new Set([...wanted, ...beside]))
    const ids = Object.values(paths).flatMap((methods) =>
      Object.values(methods).map((one) => one['operationId']),
    )
    expect(new Set(ids).size).toBe(ids.length)
  })

  test('gives each parameter, field and element a shape', () => {
    const shapeless: string[] = []
    const visit = (value: unknown, at: string): void => {
      if (typeof value !== 'object' || value === null) return
      for (const [key, child] of Object.entries(value)) {
        const isSchema = key === 'schema' || key === 'items' || at.endsWith('/properties')
        if (isSchema && Object.keys(child as object).length === 0) shapeless.push(`${at}/${key}`)
        visit(child, `${at}/${key}`)
      }
    }
    visit(made, '')
    expect(shapeless).toEqual([])
  })

  test('describes each property, parameter and component', () => {
    const undescribed: string[] = []
    const check = (value: JsonSchema, at: string): void => {
      const { description } = value
      if (typeof description !== 'string' || description.length < DESCRIPTION_CHARS_MIN) undescribed.push(at)
    }
    const visit = (value: unknown, at: string): void => {
      if (typeof value !== 'object' || value === null) return
      for (const [key, child] of Object.entries(value)) {
        if (at.endsWith('/properties') || at.endsWith('/components/schemas'))
          check(child as JsonSchema, `${at}/${key}`)
        if (at.endsWith('/parameters'))
          check(child as JsonSchema, `${at}/${String((child as JsonSchema)['name'])}`)
        visit(child, `${at}/${key}`)
      }
    }
    visit(made, '')
    expect(undescribed).toEqual([])
  })

  test('gives each operation a summary that says more than its name, and a purpose', () => {
    const own = operations.filter(({ surface }) => surface === name)
    const summaries = own.map(({ summary }) => summary)
    expect(summaries.filter((summary, n) => summaries.indexOf(summary) !== n)).toEqual([])
    const poor = own.filter(({ id, summary, description }) => {
      const words = wordsOf(id)
      const says = wordsOf(summary).some((word) => !words.includes(word) && !smallWords.has(word))
      return !says || summary.endsWith('.') || description.join('').length <= summary.length
    })
    expect(poor.map(({ id }) => id)).toEqual([])
  })

  test('lists the errors of each operation by status, each with its code', () => {
    for (const operation of operations.filter(({ surface }) => surface === name)) {
      const { responses = {} } = paths[operation.path]?.[operation.method.toLowerCase()] ?? {}
      const told = JSON.stringify(
        Object.values(responses as object).map((response) => resolved(response as JsonSchema)),
      )
      expect(errorsOf(operation).filter((code) => !told.includes(`\`${code}\`: `))).toEqual([])
    }
  })

  const resolved = (response: JsonSchema): unknown => {
    const { $ref } = response
    const { responses } = made['components'] as { responses: Record<string, unknown> }
    return typeof $ref === 'string' ? responses[$ref.slice($ref.lastIndexOf('/') + 1)] : response
  }

  test('refers only to what it defines', () => {
    const text = JSON.stringify(made)
    for (const [, path = ''] of text.matchAll(/"\$ref":"#\/([^"]+)"/g)) {
      const found = path
        .split('/')
        .reduce<unknown>((node, key) => (node as JsonSchema | undefined)?.[key], made)
      expect({ path, found }).toEqual({ path, found: expect.anything() })
    }
  })

  test('requires an Idempotency-Key on exactly the POSTs and PATCHes that store an answer', () => {
    const keyless = [
      '/dash/v1/sign_out',
      '/dash/v1/lookup',
      '/dash/v1/exports',
      '/dash/v1/statements/{id}/compare',
      '/v1/oauth/token',
    ]
    for (const [path, methods] of Object.entries(paths)) {
      for (const [method, { parameters }] of Object.entries(methods)) {
        const names = (parameters as { name: string }[]).map((parameter) => parameter.name)
        const changes = method === 'post' || method === 'patch'
        expect(names.includes('Idempotency-Key')).toBe(changes && !keyless.includes(path))
      }
    }
  })
})

describe('the document of /v1', () => {
  const { webhooks, servers } = documents.v1() as {
    webhooks: Record<string, { post: { requestBody: { content: Record<string, { schema: JsonSchema }> } } }>
    servers: object[]
  }

  test('describes each webhook that is written, with its type and its resource [§6.1]', () => {
    expect(Object.keys(webhooks)).toEqual(
      eventTypes.filter((type) => !['payment_intent.created', 'payment_intent.processing'].includes(type)),
    )
    expect(Object.keys(webhooks)).toHaveLength(13)
    const { schema } = webhooks['charge.refunded']?.post.requestBody.content['application/json'] ?? {}
    expect(schema).toMatchObject({
      properties: {
        type: { const: 'charge.refunded' },
        data: { properties: { object: { $ref: '#/components/schemas/Refund' } } },
      },
    })
  })

  test('names its server', () => {
    expect(servers).toHaveLength(1)
  })
})
