import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import type { Server } from 'node:http'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { createTestEvent, signPayload } from '@merchant-payments/webhook-verifier/testing'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { testFolder } from '@merchant-payments/testing/test-folder'

const run = promisify(execFile)

type Deliver = (init: RequestInit) => Promise<Response>
interface Receiver {
  deliver: Deliver
  close?: () => unknown
}

const secrets = ['whsec_new_0123456789abcdef0123456789', 'whsec_old_0123456789abcdef0123456789']
const event = createTestEvent('payment_intent.succeeded')
const payload = JSON.stringify(event)
/** docs/guides/events.md. */
const EVENT_BYTES_MAX = 204_800
const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8')

const examples: { name: string; start: () => Promise<Receiver> }[] = [
  { name: 'express', start: async () => receiver((await import('./examples/express.ts')).server) },
  { name: 'fastify', start: async () => receiver((await import('./examples/fastify.ts')).app.server) },
  {
    name: 'hono',
    start: async () => handler(async (request) => (await import('./examples/hono.ts')).app.fetch(request)),
  },
  { name: 'next', start: async () => handler((await import('./examples/next.ts')).POST) },
  { name: 'node', start: async () => receiver((await import('./examples/node.ts')).server) },
]

describe.each(examples)('the README example for $name', ({ name, start }) => {
  let deliver: Deliver
  let close: Receiver['close']

  beforeAll(async () => {
    vi.stubEnv('PAYMENTS_WEBHOOK_SECRET', secrets.join(','))
    vi.stubEnv('PORT', '0')
    ;({ deliver, close } = await start())
  })
  afterAll(() => {
    vi.unstubAllEnvs()
    return close?.()
  })

  test('is the file tested here', () => {
    const source = readFileSync(new URL(`./examples/${name}.ts`, import.meta.url), 'utf8')
    expect(readme).toContain(`\`\`\`ts\n${source}\`\`\``)
  })

  test('is JavaScript, which each version of Node that is supported runs', async () => {
    const source = readFileSync(new URL(`./examples/${name}.ts`, import.meta.url), 'utf8')
    const folder = await testFolder()
    await writeFile(join(folder, 'example.mjs'), source)
    const checked = await run(process.execPath, ['--check', join(folder, 'example.mjs')])
    expect(checked.stderr).toBe('')
  })

  test('answers 200 to a signed event, and parses it', async () => {
    const log = vi.spyOn(console, 'log').mockReturnValue()
    const response = await deliver(await delivery(payload))
    expect({ status: response.status, body: await response.text() }).toEqual({ status: 200, body: '' })
    expect(log.mock.calls).toEqual([[event.id, event.type]])
    log.mockRestore()
  })

  test('answers 200 to the largest event', async () => {
    const log = vi.spyOn(console, 'log').mockReturnValue()
    expect((await deliver(await delivery(payload.padEnd(EVENT_BYTES_MAX)))).status).toBe(200)
    expect(log).toHaveBeenCalledOnce()
    log.mockRestore()
  })

  test('answers 400 to a body that was changed on the way', async () => {
    const response = await deliver({ ...(await delivery(payload)), body: payload.replace('5000', '5001') })
    expect({ status: response.status, body: await response.text() }).toEqual({ status: 400, body: '' })
  })
})

test('the README example for next loads without the secret, as `next build` loads it', async () => {
  const { PAYMENTS_WEBHOOK_SECRET: _, ...env } = process.env
  const { stderr } = await run(process.execPath, ['next.ts'], {
    cwd: fileURLToPath(new URL('./examples', import.meta.url)),
    env,
  })
  expect(stderr).toBe('')
})

async function delivery(body: string): Promise<RequestInit> {
  const signature = await signPayload({ payload: body, secrets: secrets[1] ?? '' })
  const headers = { 'Content-Type': 'application/json', 'Service-Signature': signature }
  return { method: 'POST', headers, body }
}

async function receiver(server: Server): Promise<Receiver> {
  if (!server.listening) await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the example listens on no port')
  return {
    deliver: (init) => fetch(`http://localhost:${address.port}/webhooks`, init),
    close: () => {
      server.closeAllConnections()
      return server[Symbol.asyncDispose]()
    },
  }
}

function handler(post: (request: Request) => Promise<Response>): Receiver {
  return { deliver: (init) => post(new Request('https://shop.example/webhooks', init)) }
}
