import { generateKeyPairSync, randomUUID } from 'node:crypto'
import { Agent as HttpAgent, request as httpRequest } from 'node:http'
import type * as nodeSdk from '@merchant-payments/node-sdk'
import type * as sdkOverUndici from '@merchant-payments/node-sdk/undici'
import { Stripe } from 'stripe'
import { Agent, request } from 'undici'
import { nowMs } from '../clock.ts'

// Measures how many creates a client sends in a second of CPU time, with 16 under way. The time of the service that
// answers does not count, and neither does the load of the machine.
//
// Usage: sdk-calls.ts <contestant> <port> <ms> <URL of the SDK> <URL of its entry for undici>; prints the rate.
const [name = '', port = '', duration = '', sdkUrl = '', undiciUrl = ''] = process.argv.slice(2)

const CONCURRENT = 16
/** Enough for the compiler of V8 to have compiled what runs often. */
const WARM_UP_MAX_MS = 2_000
const origin = `http://127.0.0.1:${port}`

const headers = {
  accept: 'application/json',
  authorization: 'Bearer bench',
  'content-type': 'application/x-www-form-urlencoded',
  'user-agent': 'bench',
}
const body = 'amount=1000&currency=XAF&payment_method_types[0]=mtn_momo_cm&metadata[order]=42'
const path = '/v1/payment_intents'

/** How each contestant makes a function that sends one create. */
const contestants: Readonly<Record<string, () => Promise<() => Promise<unknown>>>> = {
  ours: () => ours({}),
  oursOverUndici: async () => {
    const { undiciTransport } = (await import(undiciUrl)) as typeof sdkOverUndici
    return ours({ transport: undiciTransport(new Agent()) })
  },
  stripe: async () => stripes(),
  undici: async () => undicis(),
  nodeHttp: async () => nodeHttps(),
}

const create = await contestants[name]?.()
if (create === undefined) throw new Error(`unknown contestant: ${name}`)
const durationMs = Number(duration)
await callFor(create, Math.min(WARM_UP_MAX_MS, durationMs))
const before = process.cpuUsage()
const done = await callFor(create, durationMs)
const { user, system } = process.cpuUsage(before)
console.log((done * 1e6) / (user + system))
process.exit()

async function ours(options: Partial<nodeSdk.MerchantPaymentsOptions>): Promise<() => Promise<unknown>> {
  const { createMerchantPayments } = (await import(sdkUrl)) as typeof nodeSdk
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const payments = createMerchantPayments({ baseUrl: origin, clientId: 'bench', privateKey, ...options })
  return () =>
    payments.paymentIntents.create({
      amount: 1000,
      currency: 'XAF',
      payment_method_types: ['mtn_momo_cm'],
      metadata: { order: '42' },
    })
}

function stripes(): () => Promise<unknown> {
  const stripe = new Stripe('sk_test_bench', { host: '127.0.0.1', port, protocol: 'http', telemetry: false })
  return () =>
    stripe.paymentIntents.create({
      amount: 1000,
      currency: 'xaf',
      automatic_payment_methods: { enabled: true },
      metadata: { order: '42' },
    })
}

/** The same request with a token at hand, and no retries, checks or errors. */
function undicis(): () => Promise<unknown> {
  return async () => {
    const answer = await request(origin + path, {
      method: 'POST',
      headers: { ...headers, 'idempotency-key': randomUUID() },
      body,
    })
    return answer.body.json()
  }
}

/** The same over node:http: the least that a client on node:http takes. */
function nodeHttps(): () => Promise<unknown> {
  const agent = new HttpAgent({ keepAlive: true })
  return () =>
    new Promise((resolve, reject) => {
      const options = {
        hostname: '127.0.0.1',
        port,
        path,
        agent,
        method: 'POST',
        headers: { ...headers, 'idempotency-key': randomUUID() },
      }
      const outgoing = httpRequest(options, (incoming) => {
        let text = ''
        incoming.on('data', (chunk: Buffer) => (text += String(chunk)))
        incoming.on('end', () => resolve(JSON.parse(text)))
      })
      outgoing.on('error', reject)
      outgoing.end(body)
    })
}

async function callFor(create: () => Promise<unknown>, ms: number): Promise<number> {
  const endMs = nowMs() + ms
  let done = 0
  const caller = async () => {
    while (nowMs() < endMs) {
      await create()
      done += 1
    }
  }
  await Promise.all(Array.from({ length: CONCURRENT }, caller))
  return done
}
