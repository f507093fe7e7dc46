import { expect, test } from 'vitest'
import type { z } from 'zod'
import * as contract from './index.ts'

/** What a form can hold: a value, a list, a map, and both in each other. Also of the kinds that a JSON body has. */
const shapes = (surface: contract.Operation['surface']): readonly unknown[] => {
  const ofForms = ['', 'x', '-1', { 0: 'x' }, { a: 'x' }, { a: { b: 'x' } }, { 0: { a: 'x' } }]
  return surface === 'dash' ? [...ofForms, null, true, 1, ['x']] : ofForms
}

const fieldsOf = (schema: z.ZodType | undefined): string[] =>
  schema !== undefined && 'shape' in schema ? Object.keys(schema.shape as object) : []

const inputs = Object.values<unknown>(contract)
  .filter(contract.isOperation)
  .flatMap(({ id, surface, body, query }) =>
    [body, query].flatMap((schema) => (schema === undefined ? [] : [{ id, surface, schema }])),
  )

test.each(inputs)('$id refuses each parameter in words of its own', ({ surface, schema }) => {
  const messages = fieldsOf(schema).flatMap((name) =>
    shapes(surface).flatMap((shape) => {
      const { error } = schema.safeParse({ [name]: shape })
      return error?.issues.filter(({ path }) => path[0] === name).map((one) => [name, one.message]) ?? []
    }),
  )
  expect(messages.filter(([, message]) => /^Invalid|^Unrecognized|^Too /.test(message ?? ''))).toEqual([])
})
