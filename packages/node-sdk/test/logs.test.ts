import { expect, test, vi } from 'vitest'
import { apiError, intent, rejection, startApi } from './api-server.ts'
import type { LogLevel } from '../src/index-node.ts'

/** A call that is repeated once and then succeeds, and one that fails. */
async function linesAt(logLevel: LogLevel): Promise<string[]> {
  const holder = { object: 'account_holder' }
  const answers = [{ status: 503 }, { body: holder }, apiError(404, 'resource_missing')]
  const { client } = await startApi({ answers })
  const lines: string[] = []
  const receive = (level: string) => (line: string) => void lines.push(`${level} ${line}`)
  const logger = {
    error: receive('error'),
    warn: receive('warn'),
    info: receive('info'),
    debug: receive('debug'),
  }
  const payments = client({ logLevel, logger, clock: () => 0 })
  await payments.accountHolders.retrieve({ payment_method_type: 'mtn_momo_cm', msisdn: '237670000001' })
  await rejection(payments.paymentIntents.retrieve(intent.id))
  return lines
}

const failed = `error merchant-payments: GET /v1/payment_intents/${intent.id}: NotFoundError resource_missing (req_1)`
const repeated =
  'warn merchant-payments: GET /v1/account_holders: attempt 1 failed with DecodeError; next in 250 ms'

test.each<[LogLevel, string[]]>([
  ['off', []],
  ['error', [failed]],
  ['warn', [repeated, failed]],
  [
    'info',
    [
      'info merchant-payments: POST /v1/oauth/token: 200 in 0 ms',
      'info merchant-payments: GET /v1/account_holders: 503 in 0 ms',
      repeated,
      'info merchant-payments: GET /v1/account_holders: 200 in 0 ms',
      `info merchant-payments: GET /v1/payment_intents/${intent.id}: 404 in 0 ms (req_1)`,
      failed,
    ],
  ],
])('at the level %s a client logs calls, without queries', async (level, expected) => {
  expect(await linesAt(level)).toEqual(expected)
})

test('at the level debug a client also logs requests, and no number of a payer', async () => {
  const lines = await linesAt('debug')
  expect(lines).toContain('debug merchant-payments: GET /v1/account_holders, attempt 2')
  expect(lines.join()).not.toMatch(/237670000001|Bearer|token-1|assertion/)
})

test('logs go to the console, and nothing is logged unless asked for', async () => {
  const error = vi.spyOn(console, 'error').mockReturnValue()
  const { client } = await startApi({ answers: [{ status: 405 }, { status: 405 }] })
  await rejection(client().paymentIntents.retrieve(intent.id))
  expect(error).not.toHaveBeenCalled()
  await rejection(client({ logLevel: 'error' }).paymentIntents.retrieve(intent.id))
  expect(error.mock.calls).toEqual([[expect.stringMatching(/: DecodeError$/)]])
  error.mockRestore()
})

test('hooks still receive their events beside a log', async () => {
  const onResponse = vi.fn()
  const { client } = await startApi({ answers: [{ body: intent }] })
  const logger = { error: vi.fn(), warn: vi.fn(), info: vi.fn(), debug: vi.fn() }
  await client({ logLevel: 'debug', logger, hooks: { onResponse } }).paymentIntents.retrieve(intent.id)
  expect(onResponse).toHaveBeenCalledTimes(2)
})

test('appInfo names the application beside the client', async () => {
  const { client, requests } = await startApi({ answers: [{ body: intent }] })
  const appInfo = { name: 'shop-plugin', version: '2.1', url: 'https://shop.example' }
  await client({ appInfo }).paymentIntents.retrieve(intent.id)
  expect(requests[0]?.headers['user-agent']).toMatch(
    /^merchant-payments-node-sdk\/\S+ shop-plugin\/2\.1 \(https:\/\/shop\.example\)$/,
  )
})

test.each([{ name: '' }, { name: 'a b' }, { name: 'shop', version: '1\r\n' }, { name: 'shop', url: 'é' }])(
  'appInfo of %j is refused, because it would break the header',
  async (appInfo) => {
    const { client } = await startApi()
    expect(() => client({ appInfo })).toThrow(/^appInfo must have/)
  },
)
