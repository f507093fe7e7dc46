import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import type { Charge } from '../src/charges/charge.ts'
import type { KeyClaim } from '../src/commit/key.ts'
import { confirmIntent } from '../src/payment-intents/confirm.ts'
import type { ConfirmParams } from '../src/payment-intents/instrument.ts'
import type { Intent } from '../src/payment-intents/intent.ts'
import { renderPaymentIntent } from '../src/payment-intents/render.ts'
import type { Decline, QueryOutcome, SubmitCharge, SubmitOutcome } from '../src/rails/port.ts'
import { makeIntent, makeRail, notSent, PAYER, REDIRECT, T0, unknown } from './make.ts'
import { settleCharges } from './passes.ts'
import {
  chargesOf,
  claimOf,
  confirmation,
  openWorld,
  orCode,
  readIntent,
  readKey,
  saveIntent,
  typesOf,
  type World,
} from './world.ts'

const world = await openWorld()
beforeEach(async () => {
  world.nowMs = T0
  world.alerts.length = 0
  world.redirect.submitted.length = 0
  world.redirect.whenSubmitted = page
  world.redirect.whenAsked = () => ({ kind: 'pending' })
  // Removes the jobs that other tests left for the worker.
  await world.db.transact((tx) => tx.deleteFrom('charge_jobs').execute())
})
afterAll(() => world.stop())

const urlOf = (reference: string) => `https://rail.example/pay/${reference}`

/** The rail creates a separate page for each order. */
const page = ({ reference }: SubmitCharge): SubmitOutcome => ({
  kind: 'accepted',
  railToken: `pay-${reference}`,
  callbackSecret: `notif-${reference}`,
  redirectUrl: urlOf(reference),
})

const expired: Decline = {
  code: 'redirect_expired',
  actor: 'payer',
  railCode: 'EXPIRED',
  railMessage: null,
}
const paid: QueryOutcome = { kind: 'succeeded', railTxnId: 'txn-1', amountMinor: null, currency: null }

const saveWaiting = () => saveIntent(world, makeIntent('requires_payment_method'))

/** The confirm's answer, or the code of its refusal. */
const confirm = (
  intent: Intent,
  claim: KeyClaim = claimOf(),
  { deps = world, ...params }: Partial<ConfirmParams> & { deps?: World } = {},
) => orCode(confirmIntent(deps, claim, intent.id, { ...confirmation(REDIRECT), ...params }))

/** The intent as GET shows it. */
async function shown({ id }: Intent) {
  const intent = await readIntent(world, id)
  if (intent === undefined) throw new Error('no intent')
  return renderPaymentIntent(intent)
}

const statusesOf = async ({ id }: Intent) => (await chargesOf(world, id)).map(({ status }) => status)

async function settleAfter(ms: number) {
  world.nowMs += ms
  return settleCharges(world)
}

describe('the page of an accepted charge', () => {
  test('is shown, with the way back, as long as the payer is awaited there', async () => {
    const intent = await saveWaiting()
    const answer = await confirm(intent)
    const [charge] = await chargesOf(world, intent.id)
    const processing = {
      ...renderPaymentIntent(intent),
      status: 'processing',
      next_action: {
        type: 'redirect_to_url',
        redirect_to_url: { url: urlOf(charge?.reference ?? ''), return_url: 'https://shop.example/back' },
      },
    }
    expect(answer).toEqual({
      status: 200,
      body: JSON.stringify(processing),
      shouldRetry: null,
      replayed: false,
    })
    expect(await shown(intent)).toEqual(processing)
    expect(charge).toMatchObject({
      status: 'live',
      railToken: `pay-${charge?.reference}`,
      callbackSecret: `notif-${charge?.reference}`,
    })
  })

  test.each<[string, QueryOutcome, object]>([
    ['paid', paid, { status: 'succeeded' }],
    [
      'expired',
      { kind: 'failed', decline: expired },
      {
        status: 'requires_payment_method',
        last_payment_error: {
          type: 'rail_error',
          code: 'redirect_expired',
          decline_code: 'EXPIRED',
          message: null,
          payment_method_type: REDIRECT,
        },
      },
    ],
  ])('is gone once it is %s', async (_case, outcome, after) => {
    const intent = await saveWaiting()
    await confirm(intent)
    world.redirect.whenAsked = () => outcome
    await settleAfter(60_000)
    expect(await shown(intent)).toEqual({ ...renderPaymentIntent(intent), ...after })
  })

  test('is asked for with the token that came with it', async () => {
    const intent = await saveWaiting()
    await confirm(intent)
    world.redirect.asked.length = 0
    await settleAfter(60_000)
    const [charge] = await chargesOf(world, intent.id)
    expect(world.redirect.asked).toMatchObject([
      { reference: charge?.reference, railToken: `pay-${charge?.reference}`, amountMinor: 1000 },
    ])
  })
})

describe('two tabs', () => {
  test('that confirm at once open one page, which both are shown', async () => {
    const intent = await saveWaiting()
    const answers = await Promise.all([confirm(intent), confirm(intent)])
    expect(answers).toContain('charge_in_progress')
    expect(world.redirect.submitted).toHaveLength(1)
    const url = urlOf(world.redirect.submitted[0]?.reference ?? '')
    expect(answers).toContainEqual(expect.objectContaining({ body: expect.stringContaining(url) }))
    expect((await shown(intent)).next_action?.redirect_to_url.url).toBe(url)
  })
})

/**
 * The ways in which an order can end. Except in the first, its page never reaches the payer, though the rail may
 * have it.
 */
const ways = {
  accepted: async (intent: Intent, claim: KeyClaim) => confirm(intent, claim),
  unknown: async (intent: Intent, claim: KeyClaim) => {
    world.redirect.whenSubmitted = () => unknown
    return confirm(intent, claim)
  },
  'not sent': async (intent: Intent, claim: KeyClaim) => {
    world.redirect.whenSubmitted = () => notSent
    return confirm(intent, claim)
  },
  'lost with its process': async (intent: Intent, claim: KeyClaim) => {
    const { promise: died, resolve: die } = Promise.withResolvers<void>()
    world.redirect.whenSubmitted = () => {
      die()
      return new Promise(() => undefined)
    }
    const answer = await Promise.race([died, confirm(intent, claim)])
    await settleAfter(60_000)
    return answer
  },
  'slower than its deadline': async (intent: Intent, claim: KeyClaim) => {
    world.redirect.whenSubmitted = async (charge) => {
      await settleAfter(60_000)
      return page(charge)
    }
    return confirm(intent, claim)
  },
}
type Way = keyof typeof ways

const all = Object.keys(ways) as Way[]
const sequences = all.flatMap((first) => all.flatMap((second) => all.map((third) => [first, second, third])))

describe.each(['the same key', 'a new key each time'])('three orders, with %s', (keys) => {
  test.each(sequences)('%s, %s, %s: at most one page reaches the payer', async (...sequence) => {
    const intent = await saveWaiting()
    const first = claimOf()
    const pages = new Set<string>()
    for (const way of sequence) {
      world.redirect.whenSubmitted = page
      const answer = await ways[way](intent, keys === 'the same key' ? first : claimOf())
      const seen = `${JSON.stringify(answer)} ${JSON.stringify(await shown(intent))}`
      for (const [url] of seen.matchAll(/https:\/\/rail\.example\/pay\/[0-9a-f-]+/g)) pages.add(url)
    }
    const accepted = sequence.indexOf('accepted')
    const sent = world.redirect.submitted.map(({ reference }) => reference)
    expect(new Set(sent).size).toBe(sent.length)
    // Each try has its own order until one is accepted. After that there are no more orders.
    expect(sent).toHaveLength(accepted === -1 ? 3 : accepted + 1)
    expect([...pages]).toEqual(accepted === -1 ? [] : [urlOf(sent[accepted] ?? '')])
    const abandoned = Array.from({ length: accepted === -1 ? 3 : accepted }, () => 'abandoned')
    expect(await statusesOf(intent)).toEqual(accepted === -1 ? abandoned : [...abandoned, 'live'])
    expect(await typesOf(world, intent.id)).toEqual([])
  })
})

test.each(all.filter((way) => way !== 'accepted' && way !== 'lost with its process'))(
  'an order that is %s answers 502 and lets its key go',
  async (way) => {
    const intent = await saveWaiting()
    const claim = claimOf()
    expect(await ways[way](intent, claim)).toBe('provider_unavailable')
    expect(await readKey(world, claim)).toMatchObject({ status: null, held_until: null })
    expect(await shown(intent)).toEqual(renderPaymentIntent(intent))
    expect(await chargesOf(world, intent.id)).toMatchObject([{ status: 'abandoned', nextQueryAtMs: null }])
  },
)

describe('a success after the page expired', () => {
  const outcomes = new Map<string, QueryOutcome>()
  const say = (charge: Charge | undefined, outcome: QueryOutcome) =>
    outcomes.set(charge?.reference ?? '', outcome)

  async function expiredIntent() {
    const intent = await saveWaiting()
    world.redirect.whenAsked = ({ reference }) => outcomes.get(reference) ?? { kind: 'pending' }
    await confirm(intent)
    say((await chargesOf(world, intent.id))[0], { kind: 'failed', decline: expired })
    await settleAfter(60_000)
    expect(await statusesOf(intent)).toEqual(['failed'])
    return intent
  }

  test('pays the intent after all', async () => {
    const intent = await expiredIntent()
    say((await chargesOf(world, intent.id))[0], paid)
    await settleAfter(60_000)
    expect(await shown(intent)).toEqual({ ...renderPaymentIntent(intent), status: 'succeeded' })
    expect(await typesOf(world, intent.id)).toEqual([
      'payment_intent.payment_failed',
      'payment_intent.succeeded',
    ])
  })

  test('pays it also while another page is open; a payment there too is a duplicate', async () => {
    const intent = await expiredIntent()
    await confirm(intent)
    const [first, second] = await chargesOf(world, intent.id)
    say(first, paid)
    await settleAfter(60_000)
    expect([await statusesOf(intent), (await shown(intent)).next_action]).toEqual([
      ['succeeded', 'live'],
      null,
    ])
    say(second, paid)
    await settleAfter(60_000)
    expect(await statusesOf(intent)).toEqual(['succeeded', 'duplicate'])
    expect(world.alerts.map(({ name }) => name)).toEqual(['charge_duplicate_success'])
  })
})

describe('what a confirm gives to the rail', () => {
  const limited = makeRail(REDIRECT, { urlCharsMax: 120 })
  const deps = () => ({ ...world, rails: new Map([[REDIRECT, limited]]) })
  const url = (length: number) => 'https://shop.example/'.padEnd(length, 'x')

  test('is an address as long as the rail takes, and no longer', async () => {
    const intent = await saveWaiting()
    const claim = claimOf()
    expect(await confirm(intent, claim, { deps: deps(), returnUrl: url(121) })).toBe('invalid_request')
    expect(await readKey(world, claim)).toMatchObject({
      status: 400,
      body: JSON.stringify({
        error: {
          type: 'invalid_request_error',
          code: 'invalid_request',
          message: 'return_url must be at most 120 characters on this rail',
          param: 'return_url',
        },
      }),
    })
    expect([await statusesOf(intent), limited.submitted]).toEqual([[], []])
    expect(await confirm(intent, claimOf(), { deps: deps(), returnUrl: url(120) })).toMatchObject({
      status: 200,
    })
    expect(limited.submitted).toMatchObject([{ returnUrl: url(120) }])
  })

  test('is measured in the encoding in which it is sent', async () => {
    // Each of these letters becomes six characters.
    const spelled = `https://shop.example/${'é'.repeat(17)}`
    const intent = await saveWaiting()
    expect(await confirm(intent, claimOf(), { deps: deps(), returnUrl: spelled })).toBe('invalid_request')
  })

  test.each([
    ['no number', {}, null],
    ['an empty one', { msisdn: '' }, null],
    ['one in any spelling', { msisdn: '677 00 00 01' }, PAYER],
  ])('is %s', async (_case, instrument, payer) => {
    const intent = await saveWaiting()
    await confirm(intent, claimOf(), { paymentMethodData: { [REDIRECT]: instrument } })
    expect(world.redirect.submitted).toMatchObject([{ payer, locale: null }])
    const stored = world.db.reader.selectFrom('charges').select('payer_msisdn')
    const [charge] = await chargesOf(world, intent.id)
    expect(await stored.where('reference', '=', charge?.reference ?? '').executeTakeFirst()).toEqual({
      payer_msisdn: payer,
    })
  })

  test('is never an invalid number', async () => {
    const intent = await saveWaiting()
    const paymentMethodData = { [REDIRECT]: { msisdn: '12' } }
    expect(await confirm(intent, claimOf(), { paymentMethodData })).toBe('invalid_request')
    expect(world.redirect.submitted).toEqual([])
  })
})
