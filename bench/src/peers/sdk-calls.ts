import { generateKeyPairSync, randomUUID } from 'node:crypto'
import { createMerchantPayments } from '@merchant-payments/node-sdk'
import { Stripe } from 'stripe'
import { request } from 'undici'
import { nowMs } from '../clock.ts'

// Measures how many creates per second one process sends through a client, with 16 under way.
//
// Usage: sdk-calls.ts <ours, stripe or undici> <port> <ms>; prints the rate.
const [name, port = '', duration = ''] = process.argv.slice(2)

const CONCURRENT = 16
const WARM_UP_MS = 500

const create = name === 'ours' ? ours() : name === 'stripe' ? stripes() : undicis()
await callFor(WARM_UP_MS)
const durationMs = Number(duration)
console.log(((await callFor(durationMs)) * 1000) / durationMs)
process.exit()

function ours(): () => Promise<unknown> {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const payments = createMerchantPayments({
    baseUrl: `http://127.0.0.1:${port}`,
    clientId: 'bench',
    privateKey,
  })
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
  const headers = {
    accept: 'application/json',
    authorization: 'Bearer bench',
    'content-type': 'application/x-www-form-urlencoded',
    'user-agent': 'bench',
  }
  const body = 'amount=1000&currency=XAF&payment_method_types[0]=mtn_momo_cm&metadata[order]=42'
  return async () => {
    const answer = await request(`http://127.0.0.1:${port}/v1/payment_intents`, {
      method: 'POST',
      headers: { ...headers, 'idempotency-key': randomUUID() },
      body,
    })
    return answer.body.json()
  }
}

async function callFor(ms: number): Promise<number> {
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
