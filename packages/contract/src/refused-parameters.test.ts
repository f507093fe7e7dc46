import { describe, expect, test } from 'vitest'
import type { z } from 'zod'
import * as contract from './index.ts'

/** The schemas of a body's fields, inside its refinements. */
const fieldsOf = (body: z.ZodType): Readonly<Record<string, z.ZodType>> =>
  'shape' in body ? (body.shape as Record<string, z.ZodType>) : {}

const refuses = (schema: z.ZodType): boolean => {
  const { error } = schema.safeParse('any value')
  return error?.issues[0]?.code === 'invalid_type' && error.issues[0].expected === 'never'
}

const refusing = Object.values<unknown>(contract)
  .filter(contract.isOperation)
  .flatMap(({ id, body }) => {
    const fields = body === undefined ? {} : fieldsOf(body)
    const refused = Object.keys(fields).filter((name) => refuses(fields[name] as z.ZodType))
    return body === undefined || refused.length === 0 ? [] : [{ id, body, fields, refused }]
  })

test('these operations refuse parameters by name', () => {
  expect(refusing.map(({ id }) => id).toSorted()).toEqual([
    'browser.paymentIntents.confirm',
    'checkout.sessions.create',
    'paymentIntents.confirm',
    'paymentIntents.create',
    'refunds.create',
  ])
})

describe('a refused parameter is reported before any other fault', () => {
  test.each(refusing)('$id', ({ body, fields, refused }) => {
    const allWrong = Object.fromEntries(
      Object.keys(fields)
        .filter((name) => !refused.includes(name) && name !== 'capture_method')
        .map((name) => [name, Symbol(name)]),
    )
    expect(body.safeParse(allWrong).error?.issues.length).toBeGreaterThan(1)
    for (const name of [...refused, ...('capture_method' in fields ? ['capture_method'] : [])]) {
      expect(body.safeParse({ ...allWrong, [name]: 'x' }).error?.issues[0]?.path).toEqual([name])
    }
  })
})
