import { expect, test } from 'vitest'
import { describeError } from './log.ts'

test('describeError: keeps kind, code and stack, never the values that message or fields quote', () => {
  const number = '237670000001'
  const error = Object.assign(new RangeError(`duplicate key\n(${number})`), {
    code: '23505',
    detail: `(${number})`,
  })

  const line = describeError(error)

  expect(line).toEqual({
    type: 'RangeError',
    code: '23505',
    stack: expect.stringMatching(/^ +at /) as unknown,
  })
  expect(JSON.stringify(line)).not.toContain(number)
  expect(describeError(number)).toEqual({ type: 'string' })
})
