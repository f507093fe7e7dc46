import { expectTypeOf, test } from 'vitest'
import type { Log } from './log.ts'

declare const log: Log

test('a line has its own fields, of their types, and its own levels', () => {
  log.info({ request_id: 'req_1', status: 200 }, 'request')
  log.error({ request_id: 'req_1', err: new Error('x') }, 'request')
  log.info('stopping')
  log.error({ alert: 'charge_stuck', charge: 'ch_1' }, 'charge_stuck')
  expectTypeOf(log.info).toBeFunction()
})

test('any other line does not compile', () => {
  // @ts-expect-error There is no such message.
  log.info('hello')
  // @ts-expect-error The message has another level.
  log.warn('stopping')
  // @ts-expect-error The message has no such field.
  log.info({ request_id: 'req_1', body: '{}' }, 'request')
  // @ts-expect-error The field has another type.
  log.info({ status: 'ok' }, 'request')
})
