import { documents } from '@merchant-payments/contract/openapi'
import { mintId, uuidOf } from '@merchant-payments/core'
import { afterAll, expect, test } from 'vitest'
import { startTestApi } from '../harness.ts'
import { operations } from './operations.ts'
import { rowMakers } from './row-makers.ts'

const ROWS = 3
const PAGING = ['limit', 'starting_after', 'ending_before']

interface Parameter {
  readonly name: string
  readonly in: string
  readonly schema: { readonly enum?: readonly string[]; readonly pattern?: string }
}
type Document = { paths: Record<string, { get?: { parameters: readonly Parameter[] } }> }

/** What each declared filter is asked for: the rows have at most one of the words, and nobody has the id. */
function queriesOf({ name, schema }: Parameter): readonly string[] {
  const [, prefix] = /^\^(\w+)_\[/.exec(schema.pattern ?? '') ?? []
  if (prefix !== undefined) return [`${name}=${prefix}_${'0'.repeat(32)}`]
  if (schema.enum !== undefined) return schema.enum.map((word) => `${name}=${word}`)
  const other: Readonly<Record<string, string>> = {
    created: 'created[lt]=1',
    type: 'type=invoice.paid',
    types: 'types[]=invoice.paid',
  }
  const query = other[name]
  if (query === undefined) throw new Error(`this test knows no query of ${name} yet`)
  return [query]
}

const { paths } = JSON.parse(documents.v1) as Document
const filters = operations
  .filter(({ id }) => id.endsWith('.list'))
  .flatMap(({ id, path }) =>
    (paths[path]?.get?.parameters ?? [])
      .filter((parameter) => parameter.in === 'query' && !PAGING.includes(parameter.name))
      .map((parameter) => [id, parameter.name, path, queriesOf(parameter)] as const),
  )

const api = await startTestApi()
afterAll(() => api.stop())

const shown = async (path: string, query: string): Promise<number> => {
  const { status, body } = await api.call({ path: `${path}?${query}` })
  expect(status).toBe(200)
  return body.data.length
}

test('the documents name the filters', () => {
  expect(filters.length).toBeGreaterThan(10)
})

test.each(filters)('%s does not ignore its filter %s', async (id, _name, path, queries) => {
  const maker = rowMakers[id]
  if (maker === undefined) throw new Error(`row-makers.ts makes no rows of ${id} yet`)
  const rows = Array.from({ length: ROWS }, () => uuidOf(mintId(maker.prefix, api.clock())))
  await api.db.transact((tx) => maker.insert(tx, 'acme', rows))
  expect(await shown(path, '')).toBeGreaterThanOrEqual(ROWS)
  const counts = await Promise.all(queries.map((query) => shown(path, query)))
  expect(Math.min(...counts)).toBe(0)
})
