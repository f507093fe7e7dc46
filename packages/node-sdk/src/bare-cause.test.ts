import { inspect } from 'node:util'
import { expect, test } from 'vitest'
import { bareCause } from './bare-cause.ts'

const SECRET = 'token-very-secret'
const fault = (message: string, more: object) => Object.assign(new TypeError(message), more)

test('the copy of a cause has what tells the fault, and nothing else', () => {
  const below = fault('below', { data: SECRET, code: 'EBELOW' })
  const each = [fault('connect ECONNREFUSED ::1:1', { config: { headers: { authorization: SECRET } } })]
  const cause = fault('above', {
    code: 'ECONNREFUSED',
    rawPacket: Buffer.from(SECRET),
    cause: below,
    errors: each,
  })
  const copy = bareCause(cause) as Error
  expect(copy).toBeInstanceOf(Error)
  expect(copy).toMatchObject({
    name: 'TypeError',
    message: 'above',
    code: 'ECONNREFUSED',
    stack: cause.stack,
    cause: { name: 'TypeError', message: 'below', code: 'EBELOW', stack: below.stack },
  })
  const keysOf = (error: object) => new Set(Reflect.ownKeys(error))
  expect(keysOf(copy)).toEqual(new Set(['cause', 'code', 'message', 'name', 'stack']))
  expect(keysOf(copy.cause as Error)).toEqual(new Set(['code', 'message', 'name', 'stack']))
  expect(inspect(copy, { depth: null, showHidden: true })).not.toContain(SECRET)
})

test('a cause that is its own cause has an end', () => {
  const cause = new Error('round')
  cause.cause = cause
  let depth = 0
  for (let one: unknown = bareCause(cause); one instanceof Error; one = one.cause) depth += 1
  expect(depth).toBe(5)
})

test.each(['a text', null, undefined, 7])('a cause that is no object stays as it is: %s', (cause) => {
  expect(bareCause(cause)).toBe(cause)
})
