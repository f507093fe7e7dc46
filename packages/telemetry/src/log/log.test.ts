import { expect, test } from 'vitest'
import { createMetrics } from '../metrics/metrics.ts'
import { alertTo, createLog, describeError, type Log } from './log.ts'

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

test('describeError: leaves out a line of the message that looks like one of the stack', () => {
  const quoted = ((): unknown => {
    try {
      return JSON.parse('{"a":\n  at 237670000001')
    } catch (error) {
      return error
    }
  })()
  expect(String(quoted)).toMatch(/\n +at 2376/)

  const line = describeError(quoted)

  expect(line.stack).toMatch(/^ +at JSON\.parse .*\n.*log\.test\.ts/)
  expect(JSON.stringify(line)).not.toContain('2376')
})

test('alertTo: counts each alert from zero, and writes its line', async () => {
  const metrics = createMetrics()
  const lines: unknown[] = []
  const log = { error: (...line: unknown[]) => void lines.push(line) }
  const alert = alertTo(log, metrics, ['charge_stuck', 'charge_rests'])
  expect(await metrics.render()).toContain('alerts_total{alert="charge_stuck"} 0\n')

  alert('charge_stuck', { charge: 'ch_1' })

  expect(lines).toEqual([[{ alert: 'charge_stuck', charge: 'ch_1' }, 'charge_stuck']])
  const text = await metrics.render()
  expect(text).toContain('alerts_total{alert="charge_stuck"} 1\n')
  expect(text).toContain('alerts_total{alert="charge_rests"} 0\n')
})

test('createLog: a line has no private field, and no object except its error, its texts and its addresses', () => {
  const lines: string[] = []
  const log = createLog('api', 'info', { write: (line) => void lines.push(line) }) as Log & WithAnyFields
  const number = '237670000001'

  log.info(
    { rail: 'mtn', msisdn: number, payer: { msisdn: number }, body: number, merchant: null, limit: 0 },
    'ready',
  )
  log.info({ err: new Error(number), rails: ['mtn'], internal: { port: 1 }, head: [number] }, 'ready')

  expect(lines.map((line): unknown => JSON.parse(line))).toEqual([
    {
      level: 'info',
      time: expect.any(Number) as unknown,
      app: 'api',
      rail: 'mtn',
      merchant: null,
      limit: 0,
      msg: 'ready',
    },
    {
      level: 'info',
      time: expect.any(Number) as unknown,
      app: 'api',
      err: { type: 'Error', code: null, stack: expect.stringMatching(/^ +at /) as unknown },
      rails: ['mtn'],
      internal: { port: 1 },
      msg: 'ready',
    },
  ])
})

/** What the types of a line refuse. */
interface WithAnyFields {
  readonly info: (facts: object, message: string) => void
}
