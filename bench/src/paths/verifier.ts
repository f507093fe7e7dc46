import { createHmac, randomBytes } from 'node:crypto'
import { createVerifier } from '@merchant-payments/webhook-verifier'
import { Webhook } from 'standardwebhooks'
import { Stripe } from 'stripe'
import type { Bench } from '../bench.ts'
import { nowMs } from '../clock.ts'
import { type Figure, figureOf } from '../figure.ts'
import { type Contestant, interleave } from '../rounds.ts'

/** The size of a usual event, in bytes. */
const EVENT_BYTES = 1_500

/**
 * Measures verifying and parsing a webhook. stripe-node's constructEvent gets the same bytes and signature;
 * standardwebhooks gets the same bytes and a signature of its own.
 */
export async function measureVerifier({ plan }: Pick<Bench, 'plan'>): Promise<Figure[]> {
  const secret = randomBytes(32).toString('base64url')
  const bare = JSON.stringify(eventWith('')).length
  const body = Buffer.from(JSON.stringify(eventWith('x'.repeat(EVENT_BYTES - bare))))
  const seconds = Math.floor(Date.now() / 1000)
  const digest = createHmac('sha256', secret).update(`${seconds}.`).update(body).digest('hex')
  const signature = `t=${seconds},v1=${digest}`
  const verifier = createVerifier({ secrets: secret })
  const stripe = new Stripe('sk_test_bench')
  const standard = new Webhook(Buffer.from(secret).toString('base64'))
  const headers = { 'service-signature': signature }
  const standardHeaders = {
    'webhook-id': 'msg_1',
    'webhook-timestamp': `${seconds}`,
    'webhook-signature': standard.sign('msg_1', new Date(seconds * 1000), body.toString()),
  }
  const rounds = await interleave(
    {
      ours: timed(plan.verificationsPerRound, () => verifier.verify(body, headers)),
      stripe: timed(plan.verificationsPerRound, () =>
        stripe.webhooks.constructEvent(body, signature, secret),
      ),
      standard: timed(plan.verificationsPerRound, () => standard.verify(body, standardHeaders)),
    },
    { rounds: plan.rounds, durationMs: plan.roundMs },
  )
  const { ours } = rounds
  return [
    figureOf({
      name: 'verify a webhook / stripe-node',
      unit: 'us',
      ours,
      peer: rounds.stripe,
      target: { ratioMin: 1 },
    }),
    figureOf({
      name: 'verify a webhook / standardwebhooks',
      unit: 'us',
      ours,
      peer: rounds.standard,
      target: { ratioMin: 2.5 },
    }),
  ]
}

const timed =
  (times: number, verify: () => unknown): Contestant =>
  async () => {
    const startMs = nowMs()
    for (let n = 0; n < times; n += 1) await verify()
    return ((nowMs() - startMs) * 1000) / times
  }

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
