import { spawn } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { type Stack, stackFileOf, startStack } from '@merchant-payments/stack'
import { cloneDatabase, type TestDatabase } from '@merchant-payments/testing'
import { createVerifier } from '@merchant-payments/webhook-verifier'
import { endWithThisProcess } from '@merchant-payments/testing/end-with-this-process'
import { bundledProgram } from '@merchant-payments/testing/bundled-program'
import { load } from 'js-yaml'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { recipes } from '../src/recipes.ts'
import { type Post, runCli, startCli, startServer, temporaryFolder } from './run-cli.ts'

let database: TestDatabase
let stack: Stack
let folder: string
let merchant: Record<string, string>

beforeAll(async () => {
  database = await cloneDatabase()
  const mockRailsSettings = { mtn: { autoApproveAfterMs: 0 } }
  stack = await startStack({ databaseUrl: database.url, mockRailsSettings })
  folder = await mkdtemp(join(tmpdir(), 'merchant-payments-cli-'))
  await writeFile(join(folder, 'stack.json'), JSON.stringify(stackFileOf(stack)))
  merchant = {
    PAYMENTS_URL: stack.baseUrl,
    PAYMENTS_CLIENT_ID: stack.clientId,
    PAYMENTS_KEY_FILE: stack.privateKeyFile,
    XDG_STATE_HOME: folder,
  }
})
afterAll(async () => {
  await stack?.stop()
  await database?.drop()
  await rm(folder, { recursive: true, force: true })
})

const trigger = async (
  type: string,
): Promise<{ id: string; type: string; data: { object: { id: string } } }> => {
  const { code, stdout, stderr } = await runCli(['trigger', type, '--json'], merchant)
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  return JSON.parse(stdout) as { id: string; type: string; data: { object: { id: string } } }
}

const verified = async ({ body, headers }: Post, secret: string) =>
  createVerifier({ secrets: [secret] }).verify(body, headers)

describe('token', () => {
  test('prints a token that the service accepts', async () => {
    const { code, stdout } = await runCli(['token'], merchant)
    expect(code).toBe(0)
    const headers = { authorization: `Bearer ${stdout.trim()}` }
    expect((await fetch(`${stack.baseUrl}/v1/events`, { headers })).status).toBe(200)
  })

  test('reads the development system, and an env file', async () => {
    expect((await runCli(['token', '--dev', folder])).code).toBe(0)
    const { XDG_STATE_HOME: _state, ...variables } = merchant
    const file = join(await temporaryFolder(), '.env')
    await writeFile(
      file,
      Object.entries(variables)
        .map(([name, value]) => `${name}=${value}\n`)
        .join(''),
    )
    expect((await runCli(['token', '--env-file', file])).code).toBe(0)
  })

  test('reads what env prints', async () => {
    const { code, stdout } = await runCli(['env', '--dev', folder])
    expect(code).toBe(0)
    expect(stdout).toContain(`PAYMENTS_PUBLISHABLE_KEY=${stack.publishableKey}\n`)
    expect(stdout).toContain(`PAYMENTS_WEBHOOK_SECRET=${stack.webhook?.secrets[0]}\n`)
    const file = join(await temporaryFolder(), '.env')
    await writeFile(file, stdout)
    expect((await runCli(['token', '--env-file', file])).code).toBe(0)
  })

  test('says what to check if the key is not registered', async () => {
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
    const file = join(await temporaryFolder(), 'other.pem')
    await writeFile(file, privateKey.export({ type: 'pkcs8', format: 'pem' }))
    const { code, stdout, stderr } = await runCli(['token', '--key', file], merchant)
    expect({ code, stdout }).toEqual({ code: 77, stdout: '' })
    expect(stderr).toContain('invalid_client')
    expect(stderr).toMatch(/kid or thumbprint [\w-]{43}: compare it/)
    expect(stderr).not.toContain('The audience is wrong')
  })

  test('says which audience the service accepts if another was sent', async () => {
    const wrong = ['token', '--issuer', 'https://other.example/v1/oauth']
    const { code, stderr } = await runCli(wrong, merchant)
    expect(code).toBe(77)
    expect(stderr).toContain(`Set --issuer ${stack.baseUrl}/v1/oauth.`)
  })

  test('ends with 69 if the service does not answer', async () => {
    const { code } = await runCli(['token', '--url', 'http://127.0.0.1:1'], merchant)
    expect(code).toBe(69)
  })
})

describe('client new', () => {
  test('prints an entry with which the service starts, and settings with which the merchant gets a token, also beside its next key', async () => {
    const out = await temporaryFolder()
    const args = ['client', 'new', 'acme-2', '--name', 'Acme: the shop', '--url', stack.baseUrl, '--out', out]
    const { code, stdout } = await runCli([...args, '--webhook-url', 'http://127.0.0.1:1/hooks'])
    expect(code).toBe(0)
    const [, yaml = '', secret = '', env = ''] =
      /:\n(- client_id[^]*?)\n\n# 2.*\n([^]*?)\n\n# 3.*\n([^]*)$/.exec(stdout) ?? []

    const document = load(await readFile(stack.configFile, 'utf8')) as { merchant_clients: Entry[] }
    const [entry, ...more] = load(yaml) as Entry[]
    if (entry === undefined || more.length > 0) throw new Error('it prints one entry')
    document.merchant_clients.push(entry)
    const config = join(out, 'deployment.yaml')
    await writeFile(config, JSON.stringify(document))
    const variables = {
      ...stack.env,
      ...Object.fromEntries(secret.split('\n').map((line) => line.split('='))),
    } as Record<string, string>
    expect(variables['ACME_2_WEBHOOK_SECRET']).toMatch(/^whsec_[\w-]{43}$/)
    expect(await runCli(['config', 'check', config], variables)).toMatchObject({ code: 0 })

    const file = join(out, '.env')
    await writeFile(file, env)
    const tokenOf = (address: string) =>
      runCli(['token', '--env-file', file, '--url', address, '--issuer', `${stack.baseUrl}/v1/oauth`])
    expect(await tokenOf(await startApi(config, variables))).toMatchObject({ code: 0, stderr: '' })

    // docs/operations.md, "Rotate a merchant's key": the merchant's next key stands beside this one.
    const next = await runCli(['keys', 'create', '--out', out, '--name', 'next', '--json'])
    entry.jwks.keys.push((JSON.parse(next.stdout) as { public_jwk: object }).public_jwk)
    await writeFile(config, JSON.stringify(document))
    expect(await tokenOf(await startApi(config, variables))).toMatchObject({ code: 0, stderr: '' })
  })
})

interface Entry {
  readonly jwks: { readonly keys: object[] }
}

/** A second api, at free ports. Resolves with its address. */
async function startApi(config: string, env: Record<string, string>): Promise<string> {
  const ports = ['--port', '0', '--internal-port', '0', '--metrics-port', '0']
  const child = endWithThisProcess(
    spawn(process.execPath, [bundledProgram('apps/api/src/main.ts'), ...ports, config], {
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
    }),
  )
  const ended = once(child, 'close')
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await ended
  })
  for await (const line of createInterface(child.stdout)) {
    const { msg, address } = JSON.parse(line) as { msg: string; address?: string }
    if (msg === 'ready') return address ?? ''
  }
  throw new Error('the api ended')
}

describe('pay', () => {
  const args = ['pay', '--rail', 'mtn_momo_cm', '--json', '--msisdn']
  const lastOf = (stdout: string): unknown => JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '')

  test('ends with 0 once the payment succeeded', async () => {
    const { code, stdout } = await runCli([...args, '237670000001', '--amount', '1500'], merchant)
    expect(code).toBe(0)
    expect(lastOf(stdout)).toMatchObject({ status: 'succeeded', amount: 1_500, currency: 'XAF' })
  })

  test('ends with 1 if the payer refused, and shows why', async () => {
    const { code, stdout } = await runCli([...args, '237670000451'], merchant)
    expect(code).toBe(1)
    expect(lastOf(stdout)).toMatchObject({
      status: 'requires_payment_method',
      last_payment_error: { code: 'payer_declined' },
    })
  })

  test('ends with 75 if the payer has not decided in time', async () => {
    const { code, stdout } = await runCli([...args, '237670000000', '--wait', '1'], merchant)
    expect(code).toBe(75)
    expect(lastOf(stdout)).toMatchObject({ status: 'processing' })
  })

  test('shows where to pay on a redirect rail', async () => {
    const redirect = [
      'pay',
      '--rail',
      'orange_money_cm',
      '--return-url',
      'http://localhost/back',
      '--wait',
      '0',
    ]
    const { code, stderr } = await runCli(redirect, merchant)
    expect(code).toBe(75)
    expect(stderr).toMatch(/The payer pays at http/)
  })

  test('waits for the outcome if the answer of the rail was lost', async () => {
    const lost = ['pay', '--rail', 'mtn_momo_cm', '--msisdn']
    const accepted = await runCli([...lost, '237670000482', '--json'], merchant)
    expect(accepted.code).toBe(0)
    expect(lastOf(accepted.stdout)).toMatchObject({ status: 'succeeded' })

    const { code, stderr } = await runCli([...lost, '237670000484', '--wait', '1'], merchant)
    expect(code).toBe(75)
    expect(stderr).toContain('The answer of the rail was lost.')
    expect(stderr).toContain('Waiting up to 1 s for the outcome; --wait changes that.')
  })

  test.each([
    '\u202Atel:+237\u00A06\u00A070\u201100\u201100\u201101\u202C',
    '\u0666\u0667\u0660\u0660\u0660\u0660\u0660\u0660\u0661',
  ])('takes each spelling of a number that the service takes: %j', async (msisdn) => {
    const { code, stdout } = await runCli([...args, msisdn], merchant)
    expect(code).toBe(0)
    expect(lastOf(stdout)).toMatchObject({ status: 'succeeded' })
  })

  test('leaves to the service whether digits are a number', async () => {
    const { code, stderr } = await runCli([...args, '123'], merchant)
    expect(code).toBe(2)
    expect(JSON.parse(stderr.trimEnd().split('\n').at(-1) ?? '')).toMatchObject({
      error: {
        param: 'payment_method_data[mtn_momo_cm][msisdn]',
        hints: [expect.stringContaining('--msisdn')],
      },
    })
  })

  test('says which option the rail needs that the service refuses, and ends with 2', async () => {
    const noPage = ['pay', '--rail', 'orange_money_cm', '--msisdn', '237690000001']
    const { code, stderr } = await runCli(noPage, merchant)
    expect(code).toBe(2)
    expect(stderr).toContain('give --return-url')

    const noRail = await runCli(['pay', '--rail', 'no_rail', '--msisdn', '237690000001'], merchant)
    expect(noRail.code).toBe(2)
    expect(noRail.stderr).toContain('it is --rail')

    const euros = ['pay', '--rail', 'mtn_momo_cm', '--msisdn', '237670000001', '--currency', 'EUR']
    const noCurrency = await runCli(euros, merchant)
    expect(noCurrency.code).toBe(2)
    expect(noCurrency.stderr).toContain('--currency')
    expect(noCurrency.stderr).not.toContain('it is --rail')
  })

  test.each([
    ['mtn_momo_cm', '--msisdn', 'Awa', '--msisdn must be a phone number'],
    ['orange_money_cm', '--return-url', 'shop', '--return-url must be an http'],
    ['orange_money_cm', '--wait', '1', 'give --return-url'],
  ])('refuses a wrong argument before it creates anything: %s %s %s', async (rail, flag, value, words) => {
    const { code, stdout, stderr } = await runCli(['pay', '--rail', rail, flag, value], merchant)
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toContain(words)
    expect(stderr).not.toContain('created')
  })
})

describe('trigger', () => {
  const all = Object.entries(recipes)
  const made = all.filter(([, recipe]) => !('never' in recipe)).map(([type]) => type)
  const never = all.filter(([, recipe]) => 'never' in recipe).map(([type]) => type)

  test.each(made)('%s: the change is made, and its event printed', async (type) => {
    expect(await trigger(type)).toMatchObject({ object: 'event', type, livemode: false })
  })

  test.each(never)('%s: the reason is said', async (type) => {
    const { code, stderr } = await runCli(['trigger', type], merchant)
    expect(code).toBe(2)
    expect(stderr).toMatch(/writes/)
  })

  test('a type that does not exist is refused', async () => {
    expect((await runCli(['trigger', 'checkout.session.completed'], merchant)).code).toBe(2)
  })
})

describe('events', () => {
  test('list shows the newest first, of the types that are asked for', async () => {
    const { id } = await trigger('customer.created')
    await trigger('payment_intent.canceled')
    const { code, stdout } = await runCli(
      ['events', 'list', '--types', 'customer.*', '--limit', '1'],
      merchant,
    )
    expect(code).toBe(0)
    expect(stdout).toMatch(new RegExp(`^\\d{4}-.*Z  ${id}  customer\\.created\n$`))
    const asJson = await runCli(['events', 'list', '--limit', '2', '--json'], merchant)
    const types = asJson.stdout
      .trimEnd()
      .split('\n')
      .map((line) => (JSON.parse(line) as { type: string }).type)
    expect(types).toEqual(['payment_intent.canceled', 'customer.created'])
  })

  test('get prints one', async () => {
    const event = await trigger('customer.created')
    const { stdout } = await runCli(['events', 'get', event.id], merchant)
    expect(JSON.parse(stdout)).toEqual(event)
  })

  test('resend posts one, signed with the secret', async () => {
    const event = await trigger('customer.created')
    const server = await startServer(200)
    const secret = 'whsec_of_a_test'
    const { code } = await runCli(
      ['events', 'resend', event.id, '--to', server.url, '--secret', secret],
      merchant,
    )
    expect(code).toBe(0)
    const [post] = await server.received(1)
    expect(post?.headers).toMatchObject({ 'service-event-id': event.id, 'content-type': 'application/json' })
    expect(post?.headers['compat-signature']).toBe(post?.headers['service-signature'])
    expect(await verified(post as Post, secret)).toEqual(event)
  })

  test('resend signs with both secrets of a rotation', async () => {
    const { id } = await trigger('customer.created')
    const server = await startServer(200)
    const secrets = ['whsec_new', 'whsec_old']
    const rotating = { ...merchant, PAYMENTS_WEBHOOK_SECRET: secrets.join() }
    const { code } = await runCli(['events', 'resend', id, '--to', server.url], rotating)
    expect(code).toBe(0)
    const [post] = await server.received(1)
    expect(post?.headers['service-signature']).toMatch(/^t=\d+,v1=[0-9a-f]{64},v1=[0-9a-f]{64}$/)
    for (const secret of secrets) expect((await verified(post as Post, secret)).id).toBe(id)
  })

  test('resend ends with 1 if the server refuses, and with 69 if none answers', async () => {
    const { id } = await trigger('customer.created')
    const server = await startServer(500)
    const to = (url: string) => runCli(['events', 'resend', id, '--to', url], merchant)
    expect((await to(server.url)).code).toBe(1)
    expect((await to('http://127.0.0.1:1/')).code).toBe(69)
    expect((await to('localhost:3000')).code).toBe(2)
  })
})

describe('listen', () => {
  test('posts each event signed, shows the answers, and goes on where it stopped', async () => {
    const server = await startServer(200, 500, 200)
    const args = ['listen', '--forward-to', server.url, '--json']
    const running = startCli(args, merchant)
    const { listening } = JSON.parse(await running.line()) as { listening: { secret: string } }

    const first = await trigger('customer.created')
    expect(JSON.parse(await running.line())).toMatchObject({ event: first.id, status: 200 })
    const second = await trigger('customer.created')
    expect(JSON.parse(await running.line())).toMatchObject({ event: second.id, status: 500 })
    expect(await running.stop()).toBe(0)

    const third = await trigger('customer.created')
    const caughtUp = await runCli([...args, '--once'], merchant)
    expect(caughtUp.code).toBe(0)
    const [again, ...delivered] = caughtUp.stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as object)
    expect(again).toMatchObject({ listening: { secret: listening.secret, after: second.id } })
    expect(delivered).toMatchObject([{ event: third.id, status: 200 }])

    const posts = await server.received(3)
    const events = await Promise.all(posts.map((post) => verified(post, listening.secret)))
    expect(events).toEqual([first, second, third])
  })

  test('keeps an event for a server that is not up yet', async () => {
    const state = join(await temporaryFolder(), 'place.json')
    const listen = (url: string, ...more: string[]) =>
      runCli(['listen', '--forward-to', url, '--state', state, '--once', '--json', ...more], merchant)
    expect((await listen('http://127.0.0.1:1/')).code).toBe(0)
    const { id } = await trigger('customer.created')
    expect((await listen('http://127.0.0.1:1/')).code).toBe(69)

    const server = await startServer(200)
    const { code, stdout } = await listen(server.url)
    expect(code).toBe(0)
    expect(stdout).toContain(id)
    expect(await server.received(1)).toHaveLength(1)
  })
})
