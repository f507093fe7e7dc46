import type { Operation } from '@merchant-payments/contract'
import { afterAll, describe, expect, test } from 'vitest'
import { browserCall } from '../browser/calls.ts'
import { startStaffApi } from '../dash/staff.ts'
import { parametersOf } from '../fuzz/parameters.ts'
import { prefixOf } from '../fuzz/targets.ts'
import type { TestAnswer } from '../send.ts'
import { createIntent } from '../steps.ts'
import { browserOperations, dashOperations, operations } from '../v1/operations.ts'

const api = await startStaffApi()
const ada = await api.signInAs('ada')
const { id, client_secret: secret } = await createIntent(api)
const payer = { id, secret: secret ?? '' }
afterAll(() => api.stop())

/** A value that no parameter takes: each is a text, or a map of fewer levels. An address ignores what it has no part for. */
const wrong = (name: string): string => (name === 'address' ? 'address[country][a]' : `${name}[a][b][c][d]`)

type Json = string | number | boolean | null | { readonly [key: string]: Json } | readonly Json[]

/** The pairs of the operation's example, except those of one parameter. */
function pairsBeside(value: Json, left: string, name = ''): [string, string][] {
  if (name === left || name.startsWith(`${left}[`)) return []
  if (typeof value !== 'object' || value === null) return [[name, String(value ?? '')]]
  return Object.entries(value as { [key: string]: Json }).flatMap(([key, one]) =>
    pairsBeside(one, left, name === '' ? key : `${name}[${key}]`),
  )
}

const everyName = [...operations, ...browserOperations, ...dashOperations].flatMap((operation) =>
  [...parametersOf(operation.query), ...parametersOf(operation.body)].map(
    (name, _at, all) => [operation.id, name, operation, all] as const,
  ),
)
const cases = everyName
  // Accepted and ignored, whatever it is (spec 4.3.4).
  .filter(([, name]) => name !== 'expand')
  // A map is judged by its parts.
  .filter(([, name, , all]) => !all.some((other) => other.startsWith(`${name}[`)))

async function call(operation: Operation, name: string, sent = wrong(name)): Promise<TestAnswer> {
  const { surface, method, path, query, example, keyless } = operation
  const params = new URLSearchParams([...pairsBeside(example.params ?? {}, name), [sent, 'x']])
  const isQuery = query !== undefined && method === 'GET'
  const id = surface === 'browser' ? payer.id : (example.id ?? `${prefixOf(operation)}_${'0'.repeat(32)}`)
  const target = path.replace('{id}', id) + (isQuery ? `?${params.toString()}` : '')
  const body = isQuery ? {} : { form: params.toString() }
  if (surface === 'v1') return api.call({ method, path: target, ...body })
  if (surface === 'browser') {
    return api.call(browserCall(target.replace('/v1/browser', ''), payer, { method, ...body }))
  }
  const below = target.replace('/dash/v1', '')
  if (method === 'GET') return ada.get(below)
  const unkeyed = keyless === true ? { headers: { 'idempotency-key': undefined } } : {}
  return ada.post(below, Object.fromEntries(params), unkeyed)
}

describe('a 400 names its parameter, in `param` and in its message [§7.1, §7.2]', () => {
  test('each operation with parameters is here', () => {
    expect(cases.length).toBeGreaterThan(100)
  })

  test.each(cases)('%s: %s', async (_id, name, operation) => {
    const { status, body } = await call(operation, name)
    expect(status).toBe(400)
    const { param, message } = body.error as { param: string; message: string }
    expect(wrong(name).startsWith(param) && param.startsWith(name)).toBe(true)
    expect(message).toContain(param)
  })
})

const texts = ['Awa Ngo', '237670000001']
/** Names that hold what an erasure clears. JSON sent as a form is one name. */
const privateNames = (name: string) => [
  ...texts.flatMap((text) => [`${name}[${text}]`, `${name}[${text}`, `${name}[a][${text}][b]`]),
  ...texts,
  `{"${name}":"${texts.join()}"}`,
]

describe('no refusal repeats a name that holds the name or the number of a person', () => {
  test.each(everyName)('%s: %s', async (_id, name, operation) => {
    for (const sent of privateNames(name)) {
      const { text, status } = await call(operation, name, sent)
      const refusal = status < 400 ? '' : text
      for (const one of texts) expect(refusal).not.toContain(one)
    }
  })
})
