import { execFile, spawn } from 'node:child_process'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { endWithThisProcess } from '@merchant-payments/testing/end-with-this-process'
import { freePort, listen } from '@merchant-payments/testing/listen'
import { createTestEvent, signPayload } from '@merchant-payments/webhook-verifier/testing'
import { expect, onTestFinished, test } from 'vitest'
import { createMerchantPayments } from '../src/index-node.ts'
import { createFakeService } from '../src/testing.ts'
import { intent, kidOf, privateKey, startApi } from './api-server.ts'

const run = promisify(execFile)
const pathOf = (relative: string) => fileURLToPath(new URL(relative, import.meta.url))

const readme = await readFile(pathOf('../README.md'), 'utf8')
const blocks = [...readme.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code = '']) => code)
const [quickStart = ''] = blocks

/** Creates a folder that git ignores, within the package so that its own name resolves. */
async function scratchFolder(name: string): Promise<string> {
  const folder = pathOf(`../.tsc/${name}`)
  await mkdir(folder, { recursive: true })
  onTestFinished(() => rm(folder, { recursive: true }))
  return folder
}

test('the quick start of the README runs unchanged', async () => {
  const { baseUrl, requests, tokenRequests } = await startApi({
    answers: [{ status: 201, body: intent }, { body: { ...intent, status: 'processing' } }],
  })
  const folder = await scratchFolder('quick-start')
  await writeFile(`${folder}/pay.mjs`, quickStart)
  await writeFile(`${folder}/key.json`, JSON.stringify(privateKey.export({ format: 'jwk' })))
  const settings = {
    PAYMENTS_URL: baseUrl,
    PAYMENTS_CLIENT_ID: 'shop',
    PAYMENTS_KEY_FILE: 'key.json',
    PAYMENTS_KEY_ID: 'shop-1',
  }
  await writeFile(
    `${folder}/.env`,
    Object.entries(settings)
      .map(([name, value]) => `${name}=${value}\n`)
      .join(''),
  )
  const [, command = ''] = /run it with `node ([^`]+)`/.exec(readme) ?? []
  const { stdout } = await run(process.execPath, command.split(' '), { cwd: folder })
  expect(stdout).toBe(`${intent.id} processing\n`)
  expect(tokenRequests.map(kidOf)).toEqual(['shop-1'])
  expect(requests.map(({ path, body }) => [path, body])).toEqual([
    [
      '/v1/payment_intents',
      expect.stringMatching(
        /^amount=5000&currency=XAF&metadata\[order\]=order-\d+&payment_method_types\[0\]=mtn_momo_cm$/,
      ),
    ],
    [`/v1/payment_intents/${intent.id}/confirm`, 'payment_method_data[mtn_momo_cm][msisdn]=237670000001'],
  ])
})

/** How a block gets what it uses and does not declare. The values are objects of the fake. */
const given: Readonly<Record<string, string>> = {
  payments: `import { createMerchantPayments as createGiven } from '@merchant-payments/node-sdk'
const payments = createGiven({ baseUrl: process.env['URL'] ?? '', clientId: 'shop', privateKey: process.env['KEY'] ?? '' })`,
  privateKey: `const privateKey = process.env['KEY'] ?? ''`,
  id: `const id = process.env['ID'] ?? ''`,
  paidId: `const paidId = process.env['PAID_ID'] ?? ''`,
  customerId: `const customerId = process.env['CUSTOMER_ID'] ?? ''`,
  formerCustomerId: `const formerCustomerId = process.env['FORMER_CUSTOMER_ID'] ?? ''`,
  eventId: `const eventId = process.env['EVENT_ID'] ?? ''`,
}

const fileOf = (block: string): string => {
  const used = Object.entries(given).filter(
    ([name]) =>
      new RegExp(`\\b${name}\\b`).test(block) && !new RegExp(`const (?:\\{ )?${name}\\b`).test(block),
  )
  return [...used.map(([, line]) => line), block, 'export {}', ''].join('\n')
}

/** The fake of `/testing` behind a real HTTP server, with objects for a block. */
async function startFake(): Promise<Record<string, string>> {
  const service = createFakeService()
  const payments = createMerchantPayments(service.options)
  const create = () =>
    payments.paymentIntents.create({ amount: 5000, currency: 'XAF', payment_method_types: ['mtn_momo_cm'] })
  const paid = await create()
  await payments.paymentIntents.confirm(paid.id, {
    payment_method_data: { mtn_momo_cm: { msisdn: '237670000001' } },
  })
  service.settle(paid.id, 'succeeded')
  const [event] = service.events()
  const server = createServer(async (request, response) => {
    const url = new URL(request.url ?? '', service.options.baseUrl).href
    const headers = Object.fromEntries(
      Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
    )
    const body = request.method === 'POST' ? await text(request) : undefined
    const answer = url.includes('/v1/newer_resources')
      ? { status: 200, headers: {}, body: '{}' }
      : await service.options.transport({
          method: request.method as 'GET' | 'POST',
          url,
          headers,
          body,
          signal: AbortSignal.abort(),
          maxResponseBytes: 0,
        })
    response.writeHead(answer.status, answer.headers).end(answer.body)
  })
  return {
    URL: `http://127.0.0.1:${await listen(server)}`,
    KEY: String(privateKey.export({ type: 'pkcs8', format: 'pem' })),
    ID: (await create()).id,
    PAID_ID: paid.id,
    CUSTOMER_ID: (await payments.customers.create({ name: 'Awa Ngo' })).id,
    FORMER_CUSTOMER_ID: (await payments.customers.create({ name: 'Awa Ngo' })).id,
    EVENT_ID: event?.id ?? '',
  }
}

test('the example of a test runs unchanged', async () => {
  const [block = ''] = blocks.filter((one) => one.includes('createFakeService'))
  const folder = await scratchFolder('testing')
  await writeFile(`${folder}/fake.mjs`, block)
  const { stdout } = await run(process.execPath, ['fake.mjs'], { cwd: folder })
  expect(stdout).toContain('payment_intent.payment_failed')
})

/** The blocks that end by themselves. */
const programs = blocks.slice(1).filter((block) => !/createServer|createFakeService/.test(block))

test.each(programs.map((block) => [block.trim().split('\n').at(-1), block]))(
  'the example that ends with %s runs',
  async (_line, block = '') => {
    const env = await startFake()
    const folder = await scratchFolder(`runs-${env['ID']}`)
    const code = fileOf(block).replaceAll('https://payments.example.com', env['URL'] ?? '')
    await writeFile(`${folder}/example.ts`, code)
    const program = run(process.execPath, ['example.ts'], { cwd: folder, env: { ...process.env, ...env } })
    // Rejects if the program fails.
    await expect(program).resolves.toMatchObject({ stderr: '' })
  },
)

test('the example of a receiver accepts signed webhooks and survives forged ones', async () => {
  const [block = ''] = blocks.filter((one) => one.includes('createServer'))
  const folder = await scratchFolder('receiver')
  await writeFile(`${folder}/receiver.ts`, fileOf(block))
  const secret = 'whsec_test'
  const port = await freePort()
  const env = {
    ...process.env,
    ...(await startFake()),
    PORT: String(port),
    PAYMENTS_WEBHOOK_SECRET: `whsec_next,${secret}`,
  }
  const child = endWithThisProcess(
    spawn(process.execPath, ['receiver.ts'], {
      cwd: folder,
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
    }),
  )
  let printed = ''
  child.stdout.on('data', (chunk: Buffer) => (printed += String(chunk)))
  onTestFinished(() => void child.kill())
  const payload = JSON.stringify(createTestEvent('invoice.paid'))
  const headers = { 'service-signature': await signPayload({ payload, secrets: secret }) }
  const deliver = (body: string) =>
    fetch(`http://localhost:${port}`, { method: 'POST', headers, body }).then(
      ({ status }) => status,
      () => null,
    )
  await expect.poll(() => deliver(`${payload} `)).toBe(400)
  expect(await deliver(payload)).toBe(200)
  await expect.poll(() => printed).toBe('invoice.paid\n')
})

test('every example compiles', async () => {
  const folder = await scratchFolder('examples')
  const files = blocks.slice(1).map((block, index) => [`example-${index}.ts`, fileOf(block)] as const)
  expect(files.length).toBeGreaterThan(3)
  for (const [file, code] of files) await writeFile(`${folder}/${file}`, code)
  const config = {
    extends: '../../tsconfig.json',
    // Examples may leave variables unused.
    compilerOptions: { noUnusedLocals: false },
    include: ['*.ts'],
  }
  await writeFile(`${folder}/tsconfig.json`, JSON.stringify(config))
  const tsc = pathOf('../../../node_modules/.bin/tsc')
  const complaint = await run(tsc, ['-p', folder]).then(
    () => undefined,
    (error: Error & { stdout: string }) => error.stdout || error.message,
  )
  expect(complaint).toBeUndefined()
})
