import { expect, test } from 'vitest'
import { createLiveLines } from './live-lines.ts'

const noonMs = new Date(2026, 10, 21, 12, 0, 0).getTime()

function watch() {
  const shown: string[] = []
  let nowMs = noonMs
  const live = createLiveLines(
    (line) => shown.push(line),
    () => nowMs,
  )
  return { live, shown, advance: (ms: number) => (nowMs += ms) }
}

const request = { level: 'info', app: 'api', msg: 'request', method: 'POST', route: '/v1/payment_intents' }

test.each([
  ['a request that was answered', 'api', JSON.stringify({ ...request, status: 201 })],
  ['a request that was refused', 'api', JSON.stringify({ ...request, status: 400 })],
  ['a process that is ready', 'worker', '{"level":"info","msg":"ready"}'],
  ['a line that is no JSON', 'api', 'Warning: something is deprecated'],
  ['what PostgreSQL says of itself', 'postgres', 'LOG:  checkpoint starting: time'],
])('%s is not shown', (_name, source, line) => {
  const { live, shown } = watch()

  live.processLine(source, line)

  expect(shown).toEqual([])
})

test.each([
  [
    'a server error, with what finds it in the log',
    'api',
    JSON.stringify({
      ...request,
      level: 'error',
      status: 502,
      code: 'provider_unavailable',
      request_id: 'req_1',
    }),
    '12:00:00  api       502 POST /v1/payment_intents provider_unavailable (req_1)',
  ],
  [
    'an alert with its facts',
    'worker',
    '{"level":"error","time":1,"app":"worker","alert":"charge_stuck","charge":"ch_1","age":9,"msg":"charge_stuck"}',
    '12:00:00  worker    ALERT charge_stuck charge=ch_1 age=9',
  ],
  [
    'a warning, without the stack of its error',
    'worker',
    '{"level":"warn","msg":"pass failed","pass":"settle","err":{"stack":"at somewhere"}}',
    '12:00:00  worker    pass failed pass=settle',
  ],
  [
    'a failure of PostgreSQL',
    'postgres',
    '2026-11-21 12:00:00 UTC [7] FATAL:  out of memory',
    '12:00:00  postgres  FATAL:  out of memory',
  ],
])('%s is shown', (_name, source, line, expected) => {
  const { live, shown } = watch()

  live.processLine(source, line)

  expect(shown).toEqual([expected])
})

test('the same words are shown again only after some time', () => {
  const { live, shown, advance } = watch()
  const line = '{"level":"error","msg":"pass failed"}'

  live.processLine('worker', line)
  advance(9_999)
  live.processLine('worker', line)
  expect(shown).toEqual(['12:00:00  worker    pass failed'])
  advance(1)
  live.processLine('worker', line)

  expect(shown).toEqual(['12:00:00  worker    pass failed', '12:00:10  worker    pass failed'])
})

test.each([
  [
    'a payment event with its money',
    '{"type":"payment_intent.succeeded","data":{"object":{"id":"pi_1","amount":2500,"currency":"XAF"}}}',
    '12:00:00  webhook   payment_intent.succeeded  pi_1  2500 XAF',
  ],
  [
    'another event',
    '{"type":"customer.created","data":{"object":{"id":"cus_1","name":"N. N."}}}',
    '12:00:00  webhook   customer.created  cus_1',
  ],
  ['what is no event', 'hello', '12:00:00  webhook   something that is no event'],
])('%s is shown when the shop receives it', (_name, body, expected) => {
  const { live, shown } = watch()

  live.webhook({ received_at: '', headers: {}, body })

  expect(shown).toEqual([expected])
})
