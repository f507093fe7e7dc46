import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
import { ConnectionError } from '@merchant-payments/node-sdk'
import { cloneDatabase } from '@merchant-payments/testing'
import { createVerifier } from '@merchant-payments/webhook-verifier'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { createDemoSession, type Stack, stackFileOf, type StackOptions, startStack } from '../src/index.ts'
import { isClosed, isGone } from './is-gone.ts'
import { openShop } from './shop.ts'

const APPROVES = '237670000001'
const QUICK = { mtn: { autoApproveAfterMs: 0 } }

async function start(options: StackOptions = {}): Promise<Stack> {
  const database = await cloneDatabase()
  onTestFinished(() => database.drop())
  const stack = await startStack({ databaseUrl: database.url, mockRailsSettings: QUICK, ...options })
  onTestFinished(() => stack.stop())
  return stack
}

const addressesOf = ({ baseUrl, mockRails, webhook }: Stack): string[] =>
  [baseUrl, mockRails.controlUrl, mockRails.wireUrl, webhook?.receivedUrl].filter((url) => url !== undefined)

describe('a stack on a database of the caller', () => {
  let stack: Stack
  let dropDatabase: () => Promise<void>
  beforeAll(async () => {
    const database = await cloneDatabase()
    dropDatabase = database.drop
    stack = await startStack({ databaseUrl: database.url, mockRailsSettings: QUICK })
  })
  afterAll(async () => {
    await stack.stop()
    await dropDatabase()
  })

  test('takes a payment, and signs the webhook of its success with the given secret', async () => {
    const shop = await openShop(stack)
    const { id } = await shop.create()
    expect(await shop.confirm(id, APPROVES)).toMatchObject({ status: 'processing' })

    const received = () => stack.webhook?.receiver.received() ?? []
    await expect.poll(() => received().filter(({ body }) => body.includes(id))).toHaveLength(1)

    const { body = '', headers = {} } = received().find((webhook) => webhook.body.includes(id)) ?? {}
    const event = await createVerifier({ secrets: stack.webhook?.secrets ?? [] }).verify(body, headers)
    expect(event).toMatchObject({ type: 'payment_intent.succeeded', data: { object: { id, amount: 2_500 } } })
    expect(await shop.payments.paymentIntents.retrieve(id)).toMatchObject({ status: 'succeeded' })
    expect(await stack.mockRails.control.getLedger()).toMatchObject({ debitCount: 1 })
  })

  test('creates a demo session, whose link has all that a page needs to read and confirm it', async () => {
    const { id, url } = await createDemoSession(stackFileOf(stack))
    const page = new URL(url ?? '')
    expect([page.origin, page.pathname]).toEqual([stack.baseUrl, `/c/${id}`])
    const secret = page.hash.slice(1)
    const [, publishableKey = ''] = secret.split('.')
    expect(publishableKey).toBe(stack.publishableKey)
    const headers = { 'client-secret': secret, 'publishable-key': publishableKey }
    const base = `${stack.baseUrl}/v1/browser`

    const session = await fetch(`${base}/checkout/sessions/${id}`, { headers }).then((answer) =>
      answer.json(),
    )
    expect(session).toMatchObject({
      id,
      merchant: { name: 'Demo shop' },
      rails: [
        { code: stack.mockRails.pushRail, prompt: { window_sec: 300, dial: '*126#' } },
        {
          code: stack.mockRails.redirectRail,
          prompt: null,
          number_prefixes: expect.arrayContaining(['23769']),
        },
      ],
    })
    const { payment_intent: intent } = session as { payment_intent: { id: string } }
    const confirmed = await fetch(`${base}/payment_intents/${intent.id}/confirm`, {
      method: 'POST',
      headers: { ...headers, 'idempotency-key': 'first-try' },
      body: new URLSearchParams({ [`payment_method_data[${stack.mockRails.pushRail}][msisdn]`]: APPROVES }),
    })
    expect(confirmed.status).toBe(200)
    const shop = await openShop(stack)
    await expect
      .poll(async () => (await shop.payments.checkout.sessions.retrieve(id)).status)
      .toBe('complete')
    const lines = () => stack.api.lines().join('\n')
    // The API writes its log a moment after the answer.
    await expect.poll(lines).toContain('/v1/browser/payment_intents/:id/confirm')
    expect(lines()).not.toContain('_secret_')
  })

  test('restarts a killed process on the same port', async () => {
    const { pid } = stack.api

    stack.api.kill('SIGKILL')
    expect(await stack.api.exited).toEqual({ code: null, signal: 'SIGKILL' })
    expect(await isClosed(stack.baseUrl)).toBe(true)
    await stack.api.restart()

    expect(stack.api.pid).not.toBe(pid)
    expect((await fetch(`${stack.baseUrl}/healthz`)).status).toBe(200)
    const readyLines = stack.api.lines().filter((line) => line.includes('"msg":"ready"'))
    expect(readyLines).toHaveLength(2)
  })

  test('restarts a running process after it has ended by itself', async () => {
    const { pid, exited } = stack.worker

    await stack.worker.restart()

    expect(await exited).toEqual({ code: 0, signal: null })
    expect(isGone(pid)).toBe(true)
    expect(isGone(stack.worker.pid)).toBe(false)
  })
})

test('a fault armed by a variable kills its process once: after a restart the call succeeds', async () => {
  const stack = await start({ env: { api: { FAULT_POINT: 'create.committed' } } })
  const shop = await openShop(stack)

  await expect(shop.create('order-1')).rejects.toThrow(ConnectionError)
  expect(await stack.api.exited).toEqual({ code: null, signal: 'SIGKILL' })
  await stack.api.restart()

  const { lastResponse } = await shop.create('order-1')
  expect(lastResponse.idempotentReplayed).toBe(true)
})

test('a stop leaves no process, open port or temporary folder', async () => {
  const stack = await start({ mockRailsInOwnProcess: true })
  const addresses = addressesOf(stack)
  const pids = [stack.api.pid, stack.worker.pid]
  expect(existsSync(stack.privateKeyFile)).toBe(true)

  await Promise.all([stack.stop(), stack.stop()])

  expect(pids.map(isGone)).toEqual([true, true])
  expect(addresses).toHaveLength(4)
  expect(await Promise.all(addresses.map(isClosed))).toEqual([true, true, true, true])
  expect(existsSync(dirname(stack.privateKeyFile))).toBe(false)
})

test('mock rails in a separate process use the given settings', async () => {
  const mockRailsSettings = { ...QUICK, orange: { decidesAfterMs: 0 } }
  const stack = await start({ mockRailsInOwnProcess: true, webhookReceiver: false, mockRailsSettings })

  expect(await stack.mockRails.control.getSettings()).toMatchObject({
    mtn: { autoApproveAfterMs: 0 },
    orange: { decidesAfterMs: 0 },
  })
  expect(stack.webhook).toBeNull()
})

test('a process that cannot start is reported with its last lines, and the others are stopped', async () => {
  const database = await cloneDatabase()
  onTestFinished(() => database.drop())
  const sources = new Set<string>()
  let folder = ''
  const nowhere = { DATABASE_URL: Object.assign(new URL(database.url), { pathname: '/nowhere' }).href }
  const starting = startStack({
    databaseUrl: database.url,
    env: { api: nowhere, worker: nowhere },
    log: (source) => sources.add(source),
    step: async (name, work) => {
      const result = await work()
      if (name === 'keys') folder = dirname((result as { privateKeyFile: string }).privateKeyFile)
      return result
    },
  })

  await expect(starting).rejects.toThrow(
    /^the (?:api|worker) did not start: it ended with exit code 69\n(?:.|\n)*3D000/,
  )
  expect(sources).toEqual(new Set(['api', 'worker']))
  expect(folder).not.toBe('')
  expect(existsSync(folder)).toBe(false)
})

test('an aborted start leaves nothing behind', async () => {
  const database = await cloneDatabase()
  onTestFinished(() => database.drop())
  const controller = new AbortController()
  let folder = ''
  const starting = startStack({
    databaseUrl: database.url,
    signal: controller.signal,
    step: async (name, work) => {
      const result = await work()
      if (name === 'keys') folder = dirname((result as { privateKeyFile: string }).privateKeyFile)
      if (name === 'mock rails') controller.abort()
      return result
    },
  })

  await expect(starting).rejects.toThrow('aborted')
  expect(folder).not.toBe('')
  expect(existsSync(folder)).toBe(false)
})
