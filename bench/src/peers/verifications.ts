import { createHmac, randomBytes } from 'node:crypto'
import type * as webhookVerifier from '@merchant-payments/webhook-verifier'
import type * as standardWebhooks from 'standardwebhooks'
import type * as stripeNode from 'stripe'

// Measures the time of one verification in us. It imports its contestant by a URL, so that it runs without its types on
// each version of Node, from any folder.
//
// Usage: verifications.ts <ours, stripe or standard> <URL of its module> <times>; prints the time.
const [name = '', url = '', timesText = ''] = process.argv.slice(2)

/** The size of a usual event, in bytes. */
const EVENT_BYTES = 1_500
/** Enough for the compiler of V8 to have compiled what runs often. */
const WARM_UP_TIMES_MAX = 30_000

const eventWith = (note: string) => ({
  id: 'evt_019a5b3c7d8e7f0081a2b3c4d5e6f708',
  object: 'event',
  type: 'payment_intent.succeeded',
  created: 1_795_000_000,
  livemode: false,
  data: {
    object: {
      id: 'pi_019a5b3c7d8e7f0081a2b3c4d5e6f708',
      object: 'payment_intent',
      amount: 1000,
      currency: 'XAF',
      status: 'succeeded',
      payment_method_types: ['mtn_momo_cm'],
      customer: null,
      description: note,
      metadata: { order: '42' },
      next_action: null,
      last_payment_error: null,
      invoice: null,
      canceled_at: null,
      cancellation_reason: null,
      created: 1_795_000_000,
      livemode: false,
    },
  },
})

const bare = JSON.stringify(eventWith('')).length
const body = Buffer.from(JSON.stringify(eventWith('x'.repeat(EVENT_BYTES - bare))))
const secret = randomBytes(32).toString('base64url')
const seconds = Math.floor(Date.now() / 1000)
const digest = createHmac('sha256', secret).update(`${seconds}.`).update(body).digest('hex')
const signature = `t=${seconds},v1=${digest}`

const contestants: Readonly<Record<string, (module: unknown) => () => unknown>> = {
  ours: (module) => {
    const verifier = (module as typeof webhookVerifier).createVerifier({ secrets: secret })
    const headers = { 'service-signature': signature }
    return () => verifier.verify(body, headers)
  },
  stripe: (module) => {
    const stripe = new (module as typeof stripeNode).Stripe('sk_test_bench')
    return () => stripe.webhooks.constructEvent(body, signature, secret)
  },
  /** It gets the same bytes, and a signature of its own. */
  standard: (module) => {
    const standard = new (module as typeof standardWebhooks).Webhook(Buffer.from(secret).toString('base64'))
    const headers = {
      'webhook-id': 'msg_1',
      'webhook-timestamp': `${seconds}`,
      'webhook-signature': standard.sign('msg_1', new Date(seconds * 1000), body.toString()),
    }
    return () => standard.verify(body, headers)
  },
}

const verify = contestants[name]?.(await import(url))
if (verify === undefined) throw new Error(`unknown contestant: ${name}`)
const times = Number(timesText)
await timed(verify, Math.min(WARM_UP_TIMES_MAX, times))
console.log(await timed(verify, times))

/** The time of one, in us of CPU time. */
async function timed(verify: () => unknown, times: number): Promise<number> {
  const before = process.cpuUsage()
  for (let n = 0; n < times; n += 1) await verify()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / times
}
