import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { documents, operations } from './documents.ts'
import type { JsonSchema } from './schema.ts'

type Paths = Record<string, Record<string, JsonSchema>>

const written = (name: string): string =>
  readFileSync(new URL(`../../openapi/${name}.json`, import.meta.url), 'utf8')

describe.each(Object.entries(documents))('the OpenAPI document of %s', (name, document) => {
  const made = document()
  const paths = made['paths'] as Paths

  test('is the one in the repository: `npx pnpm@12 openapi` writes it anew', () => {
    expect(`${JSON.stringify(made, null, 2)}\n`).toBe(written(name))
  })

  test('has each route of its surface, and no other', () => {
    const routes = Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { operationId }]) => `${String(operationId)} ${method} ${path}`),
    )
    const declared = operations.filter(({ surface }) => surface === name)
    const wanted = declared.flatMap(({ id, method, also, path }) => [
      `${id} ${method.toLowerCase()} ${path}`,
      ...(also === undefined ? [] : [`${id}.${also.toLowerCase()} ${also.toLowerCase()} ${path}`]),
    ])
    expect(new Set(routes)).toEqual(new Set(wanted))
    const ids = Object.values(paths).flatMap((methods) =>
      Object.values(methods).map((one) => one['operationId']),
    )
    expect(new Set(ids).size).toBe(ids.length)
  })

  test('leaves no parameter, field or element without a shape', () => {
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

  test('refers to nothing that it does not define', () => {
    const text = JSON.stringify(made)
    for (const [, path = ''] of text.matchAll(/"\$ref":"#\/([^"]+)"/g)) {
      const found = path
        .split('/')
        .reduce<unknown>((node, key) => (node as JsonSchema | undefined)?.[key], made)
      expect({ path, found }).toEqual({ path, found: expect.anything() })
    }
  })

  test('asks for an Idempotency-Key on each POST and PATCH, and on nothing else, but for what stores no answer', () => {
    const keyless = ['/dash/v1/sign_out', '/dash/v1/lookup']
    for (const [path, methods] of Object.entries(paths)) {
      for (const [method, { parameters }] of Object.entries(methods)) {
        const names = (parameters as { name: string }[]).map((parameter) => parameter.name)
        const changes = method === 'post' || method === 'patch'
        expect(names.includes('Idempotency-Key')).toBe(changes && !keyless.includes(path))
      }
    }
  })
})
