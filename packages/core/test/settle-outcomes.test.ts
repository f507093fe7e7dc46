import { type IntentStatus, intentStatuses } from '@merchant-payments/contract'
import type { ChargeStatus } from '@merchant-payments/db'
import { afterAll, describe, expect, test } from 'vitest'
import type { Charge } from '../src/charges/charge.ts'
import { chargeLifecycle } from '../src/charges/lifecycle.ts'
import type { Intent } from '../src/payment-intents/intent.ts'
import { renderPaymentIntent } from '../src/payment-intents/render.ts'
import type { QueryOutcome } from '../src/rails/port.ts'
import { declined, makeCharge, makeIntent, paid, refusal, T0, unavailable } from './make.ts'
import { settleCharges } from './passes.ts'
import { eventsOf, openWorld, readCharge, readIntent, saveCharge, saveIntent } from './world.ts'

// After the due time of every charge of these tests, and well before two minutes past its submit's deadline.
const NOW = T0 + 20_000

const world = await openWorld()
world.nowMs = NOW
afterAll(() => world.stop())

const outcomes = {
  pending: { kind: 'pending' },
  'an unknown word': { kind: 'unknown_status', status: 'PAUSED' },
  paid,
  'paid, without saying how much': { ...paid, amountMinor: null, currency: null },
  'paid, another amount': { ...paid, amountMinor: 999 },
  'paid, another currency': { ...paid, currency: 'EUR' },
  'paid, money that cannot be read': { ...paid, amountMinor: -1, currency: '' },
  failed: { kind: 'failed', decline: declined },
  'failed, because of us': { kind: 'failed', decline: { ...declined, actor: 'merchant_config' } },
  'not found': { kind: 'not_found' },
  unavailable,
} as const satisfies Record<string, QueryOutcome>
type Said = keyof typeof outcomes

/** The state of a charge and its intent after a pass, and its events and alerts. Only differences are named. */
interface Aftermath {
  readonly charge: Partial<Charge>
  readonly intent?: Partial<Intent>
  readonly event?: string
  readonly alert?: string
}

const collected = {
  railTxnId: 'txn-1',
  railCode: null,
  railMessage: null,
  settledAtMs: NOW,
  nextQueryAtMs: null,
  lastQueryAtMs: null,
}

/** The charge stays as it is, except that it is no longer queried. */
const over = { nextQueryAtMs: null }

/** The table of docs/spec-gaps.md, "Payment intents and charges", as a function. */
function aftermath(said: Said, charge: ChargeStatus, intent: IntentStatus): Aftermath {
  if (charge === 'succeeded' || charge === 'duplicate') return { charge: over }
  const waits = intent === 'requires_payment_method' || intent === 'processing'
  const unacknowledged = charge === 'submitting' || charge === 'unconfirmed'
  const ended = charge === 'failed' || charge === 'abandoned'
  const later = { lastQueryAtMs: NOW, nextQueryAtMs: NOW + (ended ? 10_000 : 2_000), queryRung: 1 }
  switch (said) {
    case 'unavailable':
      return { charge: later }
    case 'paid, another amount':
    case 'paid, another currency': {
      const { amountMinor, currency } = outcomes[said]
      const report = { amountMinor, currency, isRuled: false }
      return { charge: { ...later, report }, alert: 'charge_amount_mismatch' }
    }
    case 'paid, money that cannot be read': {
      const report = { amountMinor: null, currency: null, isRuled: false }
      return { charge: { ...later, report }, alert: 'charge_amount_mismatch' }
    }
    case 'paid':
    case 'paid, without saying how much':
      if (intent === 'succeeded')
        return { charge: { ...collected, status: 'duplicate' }, alert: 'charge_duplicate_success' }
      return {
        charge: { ...collected, status: 'succeeded' },
        intent: { status: 'succeeded', lastPaymentError: null, canceledAtMs: null, cancellationReason: null },
        event: 'payment_intent.succeeded',
      }
    case 'failed':
    case 'failed, because of us':
      if (ended) return { charge: later }
      return {
        charge: {
          status: 'failed',
          railCode: 'NOT_ENOUGH_FUNDS',
          railMessage: 'Not enough funds',
          settledAtMs: NOW,
          lastQueryAtMs: NOW,
          nextQueryAtMs: NOW + 10_000,
          queryRung: 1,
        },
        ...(waits && {
          intent: { status: 'requires_payment_method', lastPaymentError: refusal },
          event: 'payment_intent.payment_failed',
        }),
        ...(said === 'failed, because of us' && { alert: 'rail_misconfigured' }),
      }
    case 'an unknown word':
      return { charge: later, alert: 'rail_unknown_status' }
    case 'pending': {
      if (!unacknowledged) return { charge: later }
      const live = {
        status: 'live',
        acknowledgedAtMs: NOW,
        lastQueryAtMs: NOW,
        nextQueryAtMs: NOW + 3_000,
      } as const
      return {
        charge: live,
        ...(intent === 'requires_payment_method' && { intent: { status: 'processing' } }),
      }
    }
    case 'not found':
      return { charge: unacknowledged ? { ...later, notFoundCount: 1 } : later }
  }
}

const statuses = Object.keys(chargeLifecycle) as ChargeStatus[]
const cases = statuses.flatMap((charge) => intentStatuses.map((intent) => [charge, intent] as const))

describe.each(Object.keys(outcomes) as Said[])('a rail that says: %s [§3.1, §6.1]', (said) => {
  test.each(cases)('of a charge that is %s, to an intent that is %s', async (chargeStatus, intentStatus) => {
    const before: Intent = makeIntent(intentStatus)
    const fields = { intentId: before.id, nextQueryAtMs: T0, railCode: 'OLD' }
    const charge: Charge = makeCharge(chargeStatus, fields)
    const isPayer = chargeStatus === 'succeeded' && intentStatus === 'succeeded'
    await saveIntent(world, before, isPayer ? charge : {})
    if (!isPayer) await saveCharge(world, charge)
    world.push.whenAsked = () => outcomes[said]
    world.alerts.length = 0

    const report = await settleCharges(world)

    const expected = aftermath(said, chargeStatus, intentStatus)
    const moved = 'status' in expected.charge
    const chargeAfter = { ...charge, ...expected.charge, revision: charge.revision + (moved ? 1 : 0) }
    const intentAfter =
      expected.intent === undefined
        ? before
        : ({ ...before, ...expected.intent, revision: before.revision + 1 } as Intent)
    expect(await readCharge(world, charge.id)).toEqual(chargeAfter)
    expect(await readIntent(world, before.id)).toEqual(intentAfter)
    expect(report).toEqual({ claimed: 1, moved: moved ? 1 : 0 })
    expect(world.alerts.map(({ name }) => name)).toEqual(expected.alert === undefined ? [] : [expected.alert])

    const events = await eventsOf(world, before.id)
    const bodies = expected.event === undefined ? [] : [eventBody(expected.event, intentAfter)]
    expect(events.map(({ body }) => body)).toEqual(bodies)

    // Keeps the next case from claiming these jobs.
    await world.db.transact((tx) => tx.deleteFrom('charge_jobs').execute())
  })
})

const eventBody = (type: string, intent: Intent) => ({
  id: expect.stringMatching(/^evt_[0-9a-f]{32}$/) as string,
  object: 'event',
  type,
  created: NOW / 1000,
  livemode: false,
  data: { object: renderPaymentIntent(intent) },
})
