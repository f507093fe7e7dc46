import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface, type Interface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { declineCodes } from '@merchant-payments/contract'
import { type Stack, stackFileOf, startStack } from '@merchant-payments/stack'
import { cloneDatabase, type TestDatabase } from '@merchant-payments/testing'
import { endWithThisProcess } from '@merchant-payments/testing/end-with-this-process'
import { freePort } from '@merchant-payments/testing/listen'
import { packAlone } from '@merchant-payments/testing/pack-alone'
import { testFolder } from '@merchant-payments/testing/test-folder'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { guideFiles, inRepository } from '../src/files.ts'

const INSTALL_TIMEOUT_MS = 240_000

const run = promisify(execFile)
const root = fileURLToPath(inRepository('.'))
const guides = join(root, 'docs/guides')

const textOf = (name: string): Promise<string> => readFile(join(guides, name), 'utf8')

/** The snippets of a guide that name a file: ```js server.mjs */
const programsOf = (guide: string): [string, string][] =>
  [...guide.matchAll(/^```js (\S+)\n(.*?)^```$/gms)].map(([, file = '', code = '']) => [file, code])

test.each(Object.entries(guideFiles))(
  '%s matches the contract: `npx pnpm@12 guides` writes it again',
  async (path, text) => {
    expect(await readFile(inRepository(path), 'utf8')).toBe(text())
  },
)

const pages = (await readdir(guides, { recursive: true })).filter((name) => name.endsWith('.md'))

test('the French page of the first payment has the programs and commands of the English one', async () => {
  const codeOf = (page: string) => [...page.matchAll(/^```.*?^```$/gms)].map(([code]) => code)
  const english = codeOf(await textOf('take-your-first-payment.md'))
  expect(english.length).toBeGreaterThan(4)
  expect(codeOf(await textOf('fr/premier-paiement.md'))).toEqual(english)
})

test('each program of the guides that gets a token gives the id of its key', async () => {
  const programs = await Promise.all(pages.map(async (page) => programsOf(await textOf(page))))
  const clients = programs.flat().filter(([, code]) => code.includes('clientId:'))
  expect(clients.length).toBeGreaterThan(2)
  for (const [, code] of clients) expect(code).toContain('keyId: PAYMENTS_KEY_ID,')
})

test.each(['going-live.md', 'fr/mise-en-production.md', '../../packages/node-sdk/README.md'])(
  '%s gives the keys of creates, confirms and refunds prefixes of their own, because one key counts for all calls',
  async (page) => {
    const text = await textOf(page)
    for (const prefix of ['order-', 'confirm-', 'refund-']) expect(text).toContain(`\`${prefix}`)
  },
)

describe('a merchant who follows the guides', () => {
  let database: TestDatabase
  let stack: Stack
  /** The merchant's own folder, with the packages as `pack:packages` writes them. */
  let shop: string
  const cli = (...args: string[]) =>
    run(join(shop, 'node_modules/.bin/merchant-payments'), args, { cwd: shop })

  beforeAll(async () => {
    database = await cloneDatabase()
    stack = await startStack({
      databaseUrl: database.url,
      mockRailsSettings: { mtn: { autoApproveAfterMs: 0, lateSuccessAfterMs: 3_000 } },
    })
    shop = await mkdtemp(join(tmpdir(), 'merchant-payments-shop-'))
    const out = join(shop, 'packages')
    await packAlone(() =>
      run(process.execPath, [join(root, 'tools/release/src/pack-packages.ts'), '--out', out]),
    )
    await writeFile(join(shop, 'package.json'), '{ "private": true }')
    const tarballs = (await readdir(out)).map((name) => join(out, name))
    const flags = ['--no-audit', '--no-fund', '--loglevel=error']
    await run('npm', ['install', ...flags, ...tarballs], { cwd: shop })
    const stripe = fileURLToPath(import.meta.resolve('stripe')).replace(/(\/node_modules\/stripe)\/.*$/, '$1')
    await symlink(stripe, join(shop, 'node_modules/stripe'))
    await writeFile(join(shop, 'stack.json'), JSON.stringify(stackFileOf(stack)))
    const { stdout } = await cli('env', '--dev', shop)
    await writeFile(join(shop, '.env'), stdout)
  }, INSTALL_TIMEOUT_MS)
  afterAll(async () => {
    await stack?.stop()
    await database?.drop()
    await rm(shop, { recursive: true, force: true })
  })

  async function writePrograms(guide: string): Promise<string[]> {
    const programs = programsOf(await textOf(guide))
    for (const [file, code] of programs) await writeFile(join(shop, file), code)
    return programs.map(([file]) => file)
  }

  const start = (
    file: string,
    env: Record<string, string> = {},
  ): ChildProcess & { readonly lines: Interface } => {
    const child = endWithThisProcess(
      spawn(process.execPath, ['--env-file=.env', file], {
        cwd: shop,
        env: { ...process.env, ...env },
        stdio: ['ignore', 'pipe', 'inherit'],
      }),
    )
    const ended = once(child, 'close')
    onTestFinished(async () => {
      child.kill('SIGKILL')
      await ended
    })
    return Object.assign(child, { lines: createInterface(child.stdout) })
  }

  const outputOf = async (file: string) =>
    (await run(process.execPath, ['--env-file=.env', file], { cwd: shop })).stdout

  test('has each published package from pack:packages', async () => {
    const installed = await readdir(join(shop, 'node_modules/@merchant-payments'))
    expect(installed.toSorted()).toEqual(['cli', 'node-sdk', 'payer-client', 'webhook-verifier'])
  })

  test('pays, and learns it from a verified webhook', async () => {
    expect(await writePrograms('take-your-first-payment.md')).toEqual(['server.mjs', 'pay.mjs'])
    const port = await freePort()
    // During a rotation.
    const secrets = `whsec_next,${stack.webhook?.secrets[0]}`
    const server = start('server.mjs', { PORT: String(port), PAYMENTS_WEBHOOK_SECRET: secrets })
    const lines = server.lines[Symbol.asyncIterator]()
    expect((await lines.next()).value).toBe('waiting for webhooks')
    stack.webhook?.receiver.forwardTo(`http://127.0.0.1:${port}/webhooks`)

    const [, order = ''] = /^(order-\d+) processing\n$/.exec(await outputOf('pay.mjs')) ?? []
    expect(order).not.toBe('')
    expect((await lines.next()).value).toBe(`paid: ${order}`)
    stack.webhook?.receiver.forwardTo(null)
  })

  test.each([
    { sender: 'leaves in the middle of its body', bytes: 100, leaves: true },
    { sender: 'sends a body without an end', bytes: 4 * 1_024 * 1_024, leaves: false },
  ])('has a server that stays when a sender $sender', async ({ bytes, leaves }) => {
    await writePrograms('take-your-first-payment.md')
    const port = await freePort()
    const server = start('server.mjs', { PORT: String(port) })
    await once(server.lines, 'line')
    const sender = connect(port, '127.0.0.1').on('error', () => undefined)
    const closed = new Promise((resolve) => sender.once('close', resolve))
    const head = 'POST /webhooks HTTP/1.1\r\nhost: a\r\ncontent-length: 1000000000\r\n\r\n'
    sender.write(head + 'a'.repeat(bytes), () => leaves && sender.destroy())
    await closed
    const { status } = await fetch(`http://127.0.0.1:${port}/webhooks`, { method: 'POST', body: '{}' })
    expect(status).toBe(400)
  })

  test('runs the quick start of the SDK twice, each for an order of its own', async () => {
    const readme = await readFile(join(root, 'packages/node-sdk/README.md'), 'utf8')
    const [, code = ''] = /^```ts\n(import \{ readFile .*?)^```$/ms.exec(readme) ?? []
    // The folder of this test is made by the same commands.
    for (const command of ['pack:packages', 'npx merchant-payments env --dev '])
      expect(readme).toContain(command)
    await writeFile(join(shop, 'quick-start.mjs'), code)
    const first = await outputOf('quick-start.mjs')
    expect(first).toMatch(/^pi_[0-9a-f]{32} processing\n$/)
    const second = await outputOf('quick-start.mjs')
    expect(second).toMatch(/^pi_[0-9a-f]{32} processing\n$/)
    expect(second).not.toBe(first)
  })

  test('goes on with a stock client of the compatible API', async () => {
    expect(await writePrograms('coming-from-stripe.md')).toEqual(['stripe.mjs'])
    expect(await outputOf('stripe.mjs')).toBe('processing\nopen\n')
  })

  test('gets the errors of a broken connection that the testing guide and the README of the SDK name', async () => {
    await writePrograms('take-your-first-payment.md')
    const [client = ''] = /^[^]*?\n\}\)\n/.exec(await readFile(join(shop, 'pay.mjs'), 'utf8')) ?? []
    const program = `${client}
      const method = { payment_method_data: { mtn_momo_cm: { msisdn: '237670000484' } } }
      for (const options of [{}, { maxRetries: 0 }]) {
        const { id } = await payments.paymentIntents.create({ amount: 2500, currency: 'XAF', payment_method_types: ['mtn_momo_cm'] })
        const confirm = (more) => payments.paymentIntents.confirm(id, method, { ...options, ...more }).catch((error) => error)
        const { name, code, idempotencyKey } = await confirm()
        const { status, last_payment_error } = await payments.paymentIntents.retrieve(id)
        console.log(name, code, status, last_payment_error, (await confirm({ idempotencyKey })).code)
      }`
    await writeFile(join(shop, 'lost.mjs'), program)
    expect((await outputOf('lost.mjs')).split('\n')).toEqual([
      'ConflictError charge_in_progress requires_payment_method null charge_in_progress',
      'ProviderUnavailableError provider_unavailable requires_payment_method null charge_in_progress',
      '',
    ])
  })

  const numbers = async (): Promise<[string, string][]> =>
    [...(await textOf('testing.md')).matchAll(/^\| (2376\d{8}) \| (.*) \|$/gm)].map(
      ([, number = '', words = '']) => [number, words],
    )

  test('sees what the numbers of the testing guide promise', async () => {
    const promised = (await numbers()).flatMap(([number, words]) => {
      const [, code = ''] = /^`(\w+)`$/.exec(words) ?? []
      return (declineCodes as readonly string[]).includes(code) ? [[number, code] as const] : []
    })
    expect(promised.length).toBeGreaterThanOrEqual(7)
    const seen = await Promise.all(
      promised.map(async ([number]) => {
        const args = ['pay', '--env-file', '.env', '--rail', 'mtn_momo_cm', '--msisdn', number, '--json']
        const { stdout } = await cli(...args).catch((error: { stdout: string }) => error)
        const { last_payment_error: error } = JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '') as {
          last_payment_error: { code: string } | null
        }
        return [number, error?.code]
      }),
    )
    expect(seen).toEqual(promised)
  })
})

test('the configuration of the first deployment has no faults', async () => {
  const [, yaml = ''] = /^```yaml\n(.*?)^```$/ms.exec(await textOf('first-deployment.md')) ?? []
  const folder = await testFolder()
  const file = join(folder, 'merchant-payments.yaml')
  await writeFile(file, yaml)
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 3072 })
  const env = {
    DATABASE_URL: 'postgres://payments_service:password@db-1.internal/payments?sslmode=verify-full',
    SIGNING_KEY: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    CLIENT_SECRET_KEY_1: randomBytes(32).toString('base64'),
    MTN_COLLECTION_KEY: 'x',
    MTN_DISBURSEMENT_KEY: 'x',
    MTN_API_KEY: 'x',
  }
  const args = [join(root, 'tools/cli/src/main.ts'), 'config', 'check', file]
  const { stdout } = await run(process.execPath, args, { env: { ...process.env, ...env } })
  expect(stdout).toBe(`${file} has no faults.\n`)
})

test('the commands of the guides that call the service name the file of its settings', async () => {
  const calls = /`?npx merchant-payments ((?:pay|trigger|listen|events|token)\b[^`\n]*)/g
  for (const page of pages) {
    const shown = [...(await textOf(page)).matchAll(calls)].map(([, command = '']) => command)
    const unnamed = shown.filter((command) => !command.includes('--env-file .env'))
    expect({ page, unnamed }).toEqual({ page, unnamed: [] })
  }
})

test('the guides name only commands that exist', async () => {
  const { stdout } = await run(process.execPath, [join(root, 'tools/cli/src/main.ts'), '--help'])
  const commands = new Set([...stdout.matchAll(/^ {2}(\w+)/gm)].map(([, name]) => name))
  for (const page of pages) {
    const named = [...(await textOf(page)).matchAll(/merchant-payments (?!@)([a-z]+)/g)].map(
      ([, name]) => name,
    )
    expect({ page, unknown: named.filter((name) => !commands.has(name)) }).toEqual({ page, unknown: [] })
  }
})
