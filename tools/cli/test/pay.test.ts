import { existsSync } from 'node:fs'
import { expect, test } from 'vitest'
import { type Fate, startFakeApi } from './fake-api.ts'
import { runCli, runCliInto, startCli } from './run-cli.ts'

const ARGS = ['pay', '--rail', 'mtn_momo_cm', '--msisdn', '237670000001', '--json']

const lines = (stdout: string): unknown[] =>
  stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as unknown)

const isConfirm = (path: string) => path.endsWith('/confirm')
const isRead = (method: string, path: string) =>
  method === 'GET' && path.startsWith('/v1/payment_intents/pi_')

test('a read that fails is read again until the payment is decided', async () => {
  const api = await startFakeApi()
  const fates: Fate[] = ['cut', { status: 503, body: 'away' }, 'cut']
  api.fate = (method, path) => {
    const fate = isRead(method, path) ? (fates.shift() ?? null) : null
    if (isRead(method, path) && fate === null) {
      const [id] = api.service.requests.flatMap((one) => /\/(pi_\w+)\/confirm$/.exec(one.path)?.[1] ?? [])
      if (api.service.events().length === 0) api.service.settle(id ?? '', 'succeeded')
    }
    return fate
  }
  const { code, stdout } = await runCli(ARGS, api.merchant)
  expect(code).toBe(0)
  expect(lines(stdout).at(-1)).toMatchObject({ status: 'succeeded' })
})

test.each<[string, (method: string, path: string) => Fate]>([
  ['every read fails', (method, path) => (isRead(method, path) ? 'cut' : null)],
  ['a read is refused', (method, path) => (isRead(method, path) ? { status: 404, body: 'a page' } : null)],
  [
    'each answer to the confirm is lost, and nothing can be read',
    (method, path) => (isConfirm(path) ? 'cut after' : isRead(method, path) ? 'cut' : null),
  ],
])('ends with 75 and names the intent if %s', async (_what, fate) => {
  const api = await startFakeApi()
  api.fate = fate
  const { code, stderr } = await runCli([...ARGS, '--wait', '2'], api.merchant)
  const { data } = await api.payments.paymentIntents.list().page()
  expect(data).toMatchObject([{ status: 'processing' }])
  expect(code).toBe(75)
  expect(JSON.parse(stderr)).toMatchObject({ error: { payment_intent: data[0]?.id } })
})

test('finds the outcome of a confirm whose answers were lost', async () => {
  const api = await startFakeApi()
  api.fate = (method, path) => {
    if (isRead(method, path) && api.service.events().length === 0) {
      api.service.settle(path.split('/').at(-1) ?? '', 'payer_declined')
    }
    return isConfirm(path) ? 'cut after' : null
  }
  const { code, stdout } = await runCli(ARGS, api.merchant)
  expect(code).toBe(1)
  expect(lines(stdout)).toMatchObject([{ last_payment_error: { code: 'payer_declined' } }])
})

test('ends with 69 if the network fails before anything was confirmed', async () => {
  const api = await startFakeApi()
  api.fate = (_method, path) => (path === '/v1/payment_intents' ? 'cut' : null)
  expect(await runCli(ARGS, api.merchant)).toMatchObject({ code: 69 })
})

test('a confirm that the service refuses ends at once', async () => {
  const api = await startFakeApi()
  const body = JSON.stringify({ error: { type: 'api_error', code: 'not_supported', message: 'No.' } })
  api.fate = (_method, path) => (isConfirm(path) ? { status: 501, body } : null)
  const { stdout, code } = await runCli(ARGS, api.merchant)
  expect({ stdout, code }).toEqual({ stdout: '', code: 1 })
})

test('shows the address of the page to pay on before the payer has paid', async () => {
  const api = await startFakeApi()
  const page = ['--rail', 'orange_money_cm', '--return-url', 'https://shop.example/back']
  const running = startCli(['pay', ...page, '--json'], api.merchant)
  const first = JSON.parse(await running.line()) as { id: string; next_action: object }
  expect(first).toMatchObject({
    status: 'processing',
    next_action: { redirect_to_url: { url: expect.stringMatching(/^https/) } },
  })
  api.service.settle(first.id, 'succeeded')
  expect(JSON.parse(await running.line())).toMatchObject({ id: first.id, status: 'succeeded' })
})

test.runIf(existsSync('/dev/full'))('a payment whose outcome cannot be printed is open', async () => {
  const api = await startFakeApi()
  const { code, stderr } = await runCliInto('/dev/full', [...ARGS, '--wait', '1'], '.', api.merchant)
  const { data } = await api.payments.paymentIntents.list().page()
  expect(code).toBe(75)
  expect(JSON.parse(stderr)).toMatchObject({ error: { payment_intent: data[0]?.id } })
})
