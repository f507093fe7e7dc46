import { execFile, spawn } from 'node:child_process'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { EVENT_BYTES_MAX } from '@merchant-payments/contract'
import { endWithThisProcess } from '@merchant-payments/testing/end-with-this-process'
import { freePort } from '@merchant-payments/testing/listen'
import { createTestEvent, signPayload } from '@merchant-payments/webhook-verifier/testing'
import ts from 'typescript'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { apiError, intent, kidOf, privateKey, startApi } from './api-server.ts'

const run = promisify(execFile)
const pathOf = (relative: string) => fileURLToPath(new URL(relative, import.meta.url))

/** Within the package, so that the names of the packages resolve. Git ignores it. */
const folder = pathOf('../.tsc/recipes')
const keyFile = join(folder, 'key.pem')

const page = await readFile(pathOf('../../../docs/recipes.md'), 'utf8')
/** The files of the page, by the path in their first line. */
const recipes = [...page.matchAll(/^```ts\n\/\/ (\S+)\n(.*?)^```$/gms)].map(
  ([, file = '', code = '']) => [file, code] as const,
)

const WEBHOOK_SECRET = 'whsec_recipes'
const pem = String(privateKey.export({ type: 'pkcs8', format: 'pem' }))
const event = createTestEvent('payment_intent.succeeded', { object: { metadata: { order: '42' } } })
const payload = JSON.stringify(event)
/** JSON may end with spaces. */
const largest = payload.padEnd(EVENT_BYTES_MAX)
const fulfilled = `order 42 is paid by ${event.data.object.id}\n`
const secret = `${intent.id}_secret_x`

let complaint: string

beforeAll(async () => {
  for (const [file, code] of recipes) {
    await mkdir(dirname(join(folder, file)), { recursive: true })
    await writeFile(join(folder, file), code)
  }
  await writeFile(keyFile, pem)
  const config = {
    extends: '../../tsconfig.json',
    // NestJS needs decorators, and its constructors declare properties.
    compilerOptions: { experimentalDecorators: true, erasableSyntaxOnly: false },
    include: ['**/*.ts'],
  }
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(config))
  complaint = await run(pathOf('../../../node_modules/.bin/tsc'), ['-p', folder]).then(
    () => '',
    (error: Error & { stdout: string }) => error.stdout || error.message,
  )
  // Node runs the other recipes as they are, but strips no decorators.
  const nest = ts.transpileModule(await readFile(join(folder, 'nest.ts'), 'utf8'), {
    compilerOptions: {
      experimentalDecorators: true,
      module: ts.ModuleKind.ESNext,
      target: ts.ScriptTarget.ES2022,
    },
  })
  await writeFile(join(folder, 'nest.js'), nest.outputText)
  const express = await readFile(join(folder, 'express.ts'), 'utf8')
  await writeFile(
    join(folder, 'express-4.ts'),
    express.replace(`'express'`, `'${import.meta.resolve('express-4')}'`),
  )
})
afterAll(() => rm(folder, { recursive: true, force: true }))

test('every recipe that makes a client gives it the id of its key', () => {
  const clients = recipes.filter(([, code]) => code.includes('clientId:'))
  expect(clients.map(([file]) => file)).toEqual(['payments.ts', 'nest.ts', 'worker.ts', 'proxy.ts'])
  for (const [, code] of clients) expect(code).toMatch(/keyId: (?:env\.)?PAYMENTS_KEY_ID,/)
})

test('every recipe compiles', () => {
  expect(complaint).toBe('')
  expect(recipes.map(([file]) => file)).toEqual([
    'payments.ts',
    'orders.ts',
    'fulfil.ts',
    'app/orders/[id]/pay/route.ts',
    'app/webhooks/route.ts',
    'express.ts',
    'nest.ts',
    'lambda.ts',
    'worker.ts',
    'proxy.ts',
    'pay-order.test.ts',
    'catch-up.ts',
  ])
})

const environmentOf = (baseUrl: string) => ({
  ...process.env,
  PAYMENTS_URL: baseUrl,
  PAYMENTS_CLIENT_ID: 'shop',
  PAYMENTS_KEY_FILE: keyFile,
  PAYMENTS_KEY_ID: 'shop-1',
  // During a rotation.
  PAYMENTS_WEBHOOK_SECRET: `whsec_next,${WEBHOOK_SECRET}`,
})

/** Runs a program that imports the recipes, and returns what it prints. */
async function outputOf(program: string, baseUrl: string): Promise<string> {
  const env = environmentOf(baseUrl)
  const running = run(process.execPath, ['--input-type=module', '-'], { cwd: folder, env })
  // An argument is shorter than the largest event.
  running.child.stdin?.end(program)
  return (await running).stdout
}

/** Starts a recipe that listens, and stops it at the end of `use`. Returns what it printed. */
async function whileServing(file: string, baseUrl: string, use: (url: string) => Promise<void>) {
  const port = await freePort()
  const env = { ...environmentOf(baseUrl), PORT: String(port) }
  const child = endWithThisProcess(
    spawn(process.execPath, [file], { cwd: folder, env, stdio: ['ignore', 'pipe', 'inherit'] }),
  )
  let printed = ''
  child.stdout.on('data', (chunk: Buffer) => {
    printed += String(chunk)
  })
  const closed = new Promise((resolve) => child.once('close', resolve))
  try {
    const url = `http://localhost:${port}`
    await expect
      .poll(() =>
        fetch(url).then(
          () => true,
          () => false,
        ),
      )
      .toBe(true)
    await use(url)
  } finally {
    child.kill()
    await closed
  }
  return printed
}

async function delivery(body: string, signed = body) {
  const headers = {
    'content-type': 'application/json',
    'service-signature': await signPayload({ payload: signed, secrets: WEBHOOK_SECRET }),
  }
  return { method: 'POST', headers, body }
}

describe.each(['express.ts', 'express-4.ts', 'nest.js'])('the server of %s', (file) => {
  test('makes one payment for an order, however often it is asked, and verifies webhooks', async () => {
    const body = { ...intent, client_secret: secret }
    const { baseUrl, requests, tokenRequests } = await startApi({
      answers: [{ status: 201, body }, { body }],
    })
    const printed = await whileServing(file, baseUrl, async (url) => {
      for (const _press of [1, 2]) {
        const paid = await fetch(`${url}/orders/42/payment`, { method: 'POST' })
        expect(await paid.json()).toEqual({ client_secret: secret })
      }
      for (const body of [payload, largest]) {
        expect((await fetch(`${url}/webhooks`, await delivery(body))).status).toBe(200)
      }
      const forged = await delivery(payload.replace('5000', '5001'), payload)
      expect((await fetch(`${url}/webhooks`, forged)).status).toBe(400)
    })
    expect(requests).toMatchObject([
      { path: '/v1/payment_intents', headers: { 'idempotency-key': 'order-42' } },
      { method: 'GET', path: `/v1/payment_intents/${intent.id}` },
    ])
    expect(tokenRequests.map(kidOf)).toEqual(['shop-1'])
    expect(printed).toBe(fulfilled)
  })

  test('answers 404 to an id that is no order’s, and takes the next request', async () => {
    const { baseUrl, requests } = await startApi({ answers: [] })
    await whileServing(file, baseUrl, async (url) => {
      for (const id of ['%C3%A9', 'a', '%20']) {
        const { status } = await fetch(`${url}/orders/${id}/payment`, { method: 'POST' })
        expect({ id, status }).toEqual({ id, status: 404 })
      }
    })
    expect(requests).toEqual([])
  })
})

test.each(['express.ts', 'express-4.ts'])('the server of %s outlives an error of its own', async (file) => {
  const withoutService = ''
  await whileServing(file, withoutService, async (url) => {
    for (const _press of [1, 2]) {
      expect((await fetch(`${url}/orders/42/payment`, { method: 'POST' })).status).toBe(500)
    }
  })
})

test('the button for Next.js answers 404 to an id that is no order’s', async () => {
  const program = `
    import { POST as pay } from './app/orders/[id]/pay/route.ts'
    const request = new Request('https://shop.example/', { method: 'POST' })
    for (const id of ['é', '%C3%A9', 'a']) console.log((await pay(request, { params: Promise.resolve({ id }) })).status)`
  expect(await outputOf(program, '')).toBe('404\n404\n404\n')
})

const sessionOf = (id: string, more: object = {}) => ({
  id,
  object: 'checkout.session',
  status: 'open',
  payment_intent: intent.id,
  url: `https://pay.example/c/${id}#secret`,
  expires_at: 4_000_000_000,
  ...more,
})

/** Presses the button of an order this many times. */
const pressing = (times: number) => `
  import { POST as pay } from './app/orders/[id]/pay/route.ts'
  for (let press = 0; press < ${times}; press += 1) {
    const request = new Request('https://shop.example/', { method: 'POST' })
    console.log((await pay(request, { params: Promise.resolve({ id: '42' }) })).headers.get('location'))
  }`

describe('the button for Next.js', () => {
  test('leads to the same page while its session is open', async () => {
    const session = sessionOf('cs_1')
    const { baseUrl, requests, tokenRequests } = await startApi({
      answers: [{ body: session }, { body: session }],
    })
    expect(await outputOf(pressing(2), baseUrl)).toBe(`${session.url}\n${session.url}\n`)
    expect(requests).toMatchObject([
      { method: 'POST' },
      { method: 'GET', path: '/v1/checkout/sessions/cs_1' },
    ])
    expect(tokenRequests.map(kidOf)).toEqual(['shop-1'])
  })

  const overdue = sessionOf('cs_1', { expires_at: 1 })
  const ended = sessionOf('cs_1', { status: 'expired', url: null })

  test.each([
    ['that the service ended', [{ body: ended }]],
    ['that is overdue', [{ body: overdue }, { body: ended }]],
    ['that another press ended meanwhile', [{ body: overdue }, apiError(409, 'session_not_open')]],
  ])('opens another page under another key after a session %s', async (_end, answers) => {
    const next = sessionOf('cs_2')
    const { baseUrl, requests } = await startApi({
      answers: [{ body: sessionOf('cs_1') }, ...answers, { body: intent }, { body: next }],
    })
    expect(await outputOf(pressing(2), baseUrl)).toBe(`${sessionOf('cs_1').url}\n${next.url}\n`)
    const creates = requests.filter(({ path }) => path === '/v1/checkout/sessions')
    expect(creates.map(({ headers }) => headers['idempotency-key'])).toEqual([
      'order-42',
      'order-42-after-cs_1',
    ])
  })

  test.each(['processing', 'succeeded'])('opens no page beside a payment that is %s', async (status) => {
    const { baseUrl, requests } = await startApi({
      answers: [{ body: sessionOf('cs_1') }, { body: ended }, { body: { ...intent, status } }],
    })
    expect(await outputOf(pressing(2), baseUrl)).toMatch(/\nhttps:\/\/shop\.example\/orders\/42\n$/)
    expect(requests).toHaveLength(3)
  })

  test('opens no page beside a charge without an answer, whose intent waits for a payment method', async () => {
    const { baseUrl, requests } = await startApi({
      answers: [{ body: sessionOf('cs_1') }, { body: overdue }, apiError(409, 'charge_in_progress')],
    })
    expect(await outputOf(pressing(2), baseUrl)).toMatch(/\nhttps:\/\/shop\.example\/orders\/42\n$/)
    expect(requests.map(({ path }) => path)).toEqual([
      '/v1/checkout/sessions',
      '/v1/checkout/sessions/cs_1',
      '/v1/checkout/sessions/cs_1/expire',
    ])
  })

  test('fails without another page if the end of the session is not known', async () => {
    const { baseUrl, requests } = await startApi({
      answers: [{ body: sessionOf('cs_1') }, { body: overdue }, apiError(403, 'forbidden')],
    })
    await expect(outputOf(pressing(2), baseUrl)).rejects.toThrow('no luck')
    expect(requests).toHaveLength(3)
  })
})

test('an order that two payments paid is fulfilled once, and the second one is shown for refund', async () => {
  const other = { ...event, data: { object: { ...event.data.object, id: 'pi_other' } } }
  const program = `
    import { fulfil } from './fulfil.ts'
    for (const event of ${JSON.stringify([event, event, other])}) await fulfil(event)`
  expect(await outputOf(program, '')).toBe(`${fulfilled}order 42 is paid already: refund pi_other\n`)
})

test('payments without an order, such as those of invoices, are neither fulfilled nor shown for refund', async () => {
  const paid = (id: string) => ({ ...event, data: { object: { ...event.data.object, id, metadata: {} } } })
  const program = `
    import { fulfil } from './fulfil.ts'
    for (const event of ${JSON.stringify([paid('pi_1'), paid('pi_2'), event])}) await fulfil(event)`
  expect(await outputOf(program, '')).toBe(fulfilled)
})

test('the routes for Next.js open a page and verify webhooks', async () => {
  const session = sessionOf('cs_1')
  const { baseUrl, requests } = await startApi({ answers: [{ body: session }] })
  const program = `
    import { POST as pay } from './app/orders/[id]/pay/route.ts'
    import { POST as receive } from './app/webhooks/route.ts'
    const url = 'https://shop.example/'
    const opened = await pay(new Request(url, { method: 'POST' }), { params: Promise.resolve({ id: '42' }) })
    console.log(opened.status, opened.headers.get('location'))
    for (const delivery of ${JSON.stringify(await Promise.all([payload, largest].map((body) => delivery(body))))}) {
      console.log((await receive(new Request(url, delivery))).status)
    }`
  expect(await outputOf(program, baseUrl)).toBe(`303 ${session.url}\n${fulfilled}200\n200\n`)
  expect(requests).toMatchObject([
    { path: '/v1/checkout/sessions', headers: { 'idempotency-key': 'order-42' } },
  ])
})

test('the function for AWS Lambda verifies webhooks, also with a body in base64', async () => {
  const program = `
    import { handler } from './lambda.ts'
    const request = ${JSON.stringify({ ...(await delivery(payload)), isBase64Encoded: false })}
    const large = ${JSON.stringify({ ...(await delivery(largest)), isBase64Encoded: false })}
    const encoded = { ...request, body: Buffer.from(request.body).toString('base64'), isBase64Encoded: true }
    for (const event of [request, encoded, large, { ...request, body: '{}' }]) console.log((await handler(event)).statusCode)`
  expect(await outputOf(program, '')).toBe(`${fulfilled}200\n200\n200\n400\n`)
})

test('the worker for the edge reads a payment with variables that it is given', async () => {
  const { baseUrl, tokenRequests } = await startApi({ answers: [{ body: intent }] })
  const program = `
    import worker from './worker.ts'
    const response = await worker.fetch(new Request('https://shop.example/?payment=${intent.id}'), {
      ...process.env,
      PAYMENTS_KEY: ${JSON.stringify(pem)},
    })
    console.log(await response.text())`
  expect(await outputOf(program, baseUrl)).toBe('{"status":"requires_payment_method"}\n')
  expect(tokenRequests.map(kidOf)).toEqual(['shop-1'])
})

test('the test of a shop passes', async () => {
  const { stdout } = await run(process.execPath, ['--test', 'pay-order.test.ts'], { cwd: folder })
  expect(stdout).toMatch(/pass 1\b/)
})

describe('catching up', () => {
  const eventsAt = (...ids: string[]) => ({
    body: { object: 'list', url: '/v1/events', has_more: false, data: ids.map((id) => ({ ...event, id })) },
  })
  const program = `
    import { rm } from 'node:fs/promises'
    import { catchUp } from './catch-up.ts'
    await rm('last-event', { force: true })
    for (const _run of [1, 2, 3]) console.log(await catchUp())`

  test('starts at the newest event, and handles each newer one once', async () => {
    const { baseUrl, requests } = await startApi({
      answers: [eventsAt('evt_1'), eventsAt('evt_3', 'evt_2'), eventsAt()],
    })
    expect(await outputOf(program, baseUrl)).toBe(`0\n${fulfilled}2\n0\n`)
    expect(requests.map(({ path }) => path)).toEqual([
      '/v1/events?limit=1',
      '/v1/events?ending_before=evt_1&limit=100',
      '/v1/events?ending_before=evt_3&limit=100',
    ])
  })

  test('starts before all events if the merchant has none yet, and handles the first of them', async () => {
    const { baseUrl, requests } = await startApi({
      answers: [eventsAt(), eventsAt('evt_2', 'evt_1'), eventsAt()],
    })
    expect(await outputOf(program, baseUrl)).toBe(`0\n${fulfilled}2\n0\n`)
    expect(requests.map(({ path }) => path)).toEqual([
      '/v1/events?limit=1',
      `/v1/events?ending_before=evt_${'0'.repeat(32)}&limit=100`,
      '/v1/events?ending_before=evt_2&limit=100',
    ])
  })

  test('fails without a request if the cursor cannot be read', async () => {
    const unreadable = `
      import { mkdir, rm } from 'node:fs/promises'
      import { catchUp } from './catch-up.ts'
      await rm('last-event', { force: true })
      await mkdir('last-event')
      try {
        console.log(await catchUp().catch(({ code }) => code))
      } finally {
        await rm('last-event', { recursive: true })
      }`
    const { baseUrl, requests } = await startApi({ answers: [eventsAt('evt_1')] })
    expect(await outputOf(unreadable, baseUrl)).toBe('EISDIR\n')
    expect(requests).toEqual([])
  })
})
