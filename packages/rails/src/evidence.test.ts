import { expect, test } from 'vitest'
import { evidenceOf } from './evidence.ts'

test.each([
  ['NOT_ALLOWED', 'NOT_ALLOWED'],
  ['60019', '60019'],
  ['237670000001', null],
  ['FOR_237670000001', null],
  ['Awa has too little', null],
  [60_019, null],
])('a log line shows the code %j as %j', (code, railCode) => {
  const reply = { kind: 'answer', status: 400, body: { code } } as const
  expect(evidenceOf('submit', reply as never, 5)).toEqual({
    operation: 'submit',
    httpStatus: 400,
    railCode,
    errno: null,
    elapsedMs: 5,
  })
})
