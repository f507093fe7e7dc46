import { planPaid } from '../invoices/invoice.ts'
import type { IntentStatus } from '@merchant-payments/contract'
import type { ChargeStatus } from '@merchant-payments/db'
import { describe, expect, test } from 'vitest'
import {
  accepted,
  declined,
  makeCharge,
  makeIntent,
  makeInvoice,
  makeRail,
  notSent,
  PUSH,
  REDIRECT,
  refusal,
  T0,
  unknown,
} from '../../test/make.ts'
import type { Invoice } from '../invoices/invoice.ts'
import type { Intent } from './intent.ts'
import type { RailCode, SubmitOutcome } from '../rails/port.ts'
import type { Transition } from './transition.ts'
import type { Charge } from '../charges/charge.ts'
import {
  type OpenCharge,
  planAcknowledged,
  planAnswer,
  planFailure,
  planSuccess,
  type SettleableCharge,
} from './plan-charge.ts'

const nowMs = T0 + 1_500
const redirectUrl = 'https://rail.example/p/1'
const returnUrl = 'https://shop.example/back'
const redirected: SubmitOutcome = { kind: 'accepted', railToken: 'tok', callbackSecret: 'sec', redirectUrl }

/** A plan as a row of the table: the state of each part, the event, and the delay of the next query. */
function told({ charge, change }: Pick<Transition, 'charge' | 'change'>) {
  return [
    charge?.after.status,
    change?.after.status ?? 'unchanged',
    change?.event?.type ?? null,
    charge?.after.nextQueryAtMs === null ? null : (charge?.after.nextQueryAtMs ?? 0) - nowMs,
  ]
}

function answer(rail: RailCode, intent: Intent, outcome: SubmitOutcome) {
  const charge = makeCharge('submitting', { rail })
  return {
    charge,
    ...planAnswer(charge, intent, outcome, { rail: makeRail(rail), payer: null, returnUrl }, nowMs),
  }
}

const waits = 'requires_payment_method'
const failedEvent = 'payment_intent.payment_failed'
const paidEvent = 'payment_intent.succeeded'

describe("the rail's answer to a submit", () => {
  // rail, outcome, intent | charge, intent after, event, asked again after ms, whether confirm answers 200
  test.each<[RailCode, SubmitOutcome, IntentStatus, unknown[], boolean]>([
    [PUSH, accepted, waits, ['live', 'processing', null, 3_000], true],
    [PUSH, accepted, 'canceled', ['live', 'unchanged', null, 3_000], true],
    [PUSH, accepted, 'succeeded', ['live', 'unchanged', null, 3_000], true],
    [REDIRECT, redirected, waits, ['live', 'processing', null, 3_000], true],
    [REDIRECT, redirected, 'canceled', ['live', 'unchanged', null, 3_000], true],
    [PUSH, { kind: 'declined', decline: declined }, waits, ['failed', waits, failedEvent, 10_000], true],
    [PUSH, { kind: 'declined', decline: declined }, 'canceled', ['failed', 'unchanged', null, 10_000], true],
    [PUSH, { kind: 'declined', decline: declined }, 'succeeded', ['failed', 'unchanged', null, 10_000], true],
    [REDIRECT, { kind: 'declined', decline: declined }, waits, ['failed', waits, failedEvent, 10_000], true],
    [PUSH, notSent, waits, ['abandoned', 'unchanged', null, 10_000], false],
    [PUSH, notSent, 'canceled', ['abandoned', 'unchanged', null, 10_000], false],
    [REDIRECT, notSent, waits, ['abandoned', 'unchanged', null, null], false],
    [REDIRECT, unknown, waits, ['abandoned', 'unchanged', null, null], false],
    [PUSH, unknown, waits, ['unconfirmed', 'unchanged', null, 6_500], false],
    [PUSH, unknown, 'canceled', ['unconfirmed', 'unchanged', null, 6_500], false],
  ])('on %s, %o for an intent that is %s', (rail, outcome, status, expected, answered) => {
    const plan = answer(rail, makeIntent(status), outcome)
    expect([told(plan.transition), plan.answered]).toEqual([expected, answered])
  })

  test('accepted by a redirect rail is stored with all that the payer and the query need', () => {
    const intent = makeIntent(waits)
    const { charge, transition, intentAfter } = answer(REDIRECT, intent, redirected)
    expect(transition.charge?.after).toEqual({
      ...charge,
      status: 'live',
      railToken: 'tok',
      callbackSecret: 'sec',
      acknowledgedAtMs: nowMs,
      nextQueryAtMs: nowMs + 3_000,
      revision: 6,
    })
    expect(intentAfter).toEqual({ ...intent, status: 'processing', redirectUrl, returnUrl, revision: 4 })
  })

  test('accepted by a push rail leaves no address on the intent', () => {
    const intent = makeIntent(waits)
    expect(answer(PUSH, intent, accepted).intentAfter).toEqual({
      ...intent,
      status: 'processing',
      revision: 4,
    })
  })

  test('declined is shown on the intent in our word and in the rail’s own', () => {
    const intent = makeIntent(waits)
    const { transition, intentAfter } = answer(PUSH, intent, { kind: 'declined', decline: declined })
    expect(intentAfter).toEqual({ ...intent, lastPaymentError: refusal, revision: 4 })
    expect(transition.charge?.after).toMatchObject({
      railCode: 'NOT_ENOUGH_FUNDS',
      railMessage: 'Not enough funds',
      settledAtMs: nowMs,
    })
  })

  test.each([notSent, unknown])(
    'that proves nothing leaves the intent to the byte as it was: %o',
    (outcome) => {
      const intent = makeIntent(waits)
      const { transition, intentAfter } = answer(PUSH, intent, outcome)
      expect(transition.intent).toBe(intent)
      expect(transition.change).toBeNull()
      expect(intentAfter).toBe(intent)
    },
  )
})

describe('a success', () => {
  const charges = ['submitting', 'unconfirmed', 'live', 'failed', 'abandoned'] as const
  const unpaid = [waits, 'processing', 'canceled'] as const

  test.each(charges.flatMap((charge) => unpaid.map((intent) => [charge, intent] as const)))(
    'of a charge that is %s pays an intent that is %s',
    (chargeStatus, status) => {
      const intent: Intent = makeIntent(status, { lastPaymentError: refusal })
      const charge: SettleableCharge = makeCharge(chargeStatus, { railCode: 'OLD', railMessage: 'Old' })
      const plan = planSuccess(charge, intent, 'txn-9', nowMs)
      expect(told(plan)).toEqual(['succeeded', 'succeeded', paidEvent, null])
      expect(plan.charge?.after).toEqual(settled(charge, 'succeeded'))
      expect(plan.change?.after).toEqual({
        ...intent,
        status: 'succeeded',
        lastPaymentError: null,
        canceledAtMs: null,
        cancellationReason: null,
        revision: 4,
      })
    },
  )

  test.each(charges)(
    'of a charge that is %s beside another success is a duplicate, and writes nothing else',
    (status) => {
      const intent = makeIntent('succeeded')
      const charge: SettleableCharge = makeCharge(status)
      const plan = planSuccess(charge, intent, 'txn-9', nowMs)
      expect(plan.charge?.after).toEqual(settled(charge, 'duplicate'))
      expect(plan.intent).toBe(intent)
      expect(plan.change).toBeNull()
    },
  )

  const settled = (charge: Charge, status: ChargeStatus) => ({
    ...charge,
    status,
    railTxnId: 'txn-9',
    railCode: null,
    railMessage: null,
    settledAtMs: nowMs,
    nextQueryAtMs: null,
    revision: 6,
  })
})

describe('a success of an intent that an invoice minted', () => {
  const intent = makeIntent('succeeded', { invoiceId: makeInvoice('open').id })

  test.each(['open', 'uncollectible'] as const)('pays an invoice that is %s, and tells of it', (status) => {
    const invoice: Invoice = makeInvoice(status)
    const paid = planPaid(invoice, intent, nowMs)
    expect(paid?.before).toBe(invoice)
    expect(paid?.after).toEqual({ ...invoice, status: 'paid', intentId: intent.id, paidAtMs: nowMs })
    expect(paid?.event?.type).toBe('invoice.paid')
    expect(JSON.parse(paid?.event?.body ?? '')).toMatchObject({
      data: { object: { id: invoice.id, status: 'paid', payment_intent: intent.id, lines: { data: [] } } },
    })
  })

  test.each(['draft', 'paid', 'void'] as const)('leaves one that is %s as it is', (status) => {
    expect(planPaid(makeInvoice(status), intent, nowMs)).toBeNull()
  })
})

describe('a failure', () => {
  test.each([
    ['submitting', waits],
    ['unconfirmed', waits],
    ['live', 'processing'],
  ] as const)('of a charge that is %s is told to an intent that is %s', (chargeStatus, status) => {
    const charge: OpenCharge = makeCharge(chargeStatus)
    const plan = planFailure(charge, makeIntent(status), declined, nowMs)
    expect(told(plan)).toEqual(['failed', waits, failedEvent, 10_000])
  })

  test.each(['canceled', 'succeeded'] as const)('is not told to an intent that is %s', (status) => {
    const intent: Intent = makeIntent(status)
    const plan = planFailure(makeCharge('live'), intent, declined, nowMs)
    expect(told(plan)).toEqual(['failed', 'unchanged', null, 10_000])
    expect(plan.intent).toBe(intent)
    expect(plan.change).toBeNull()
  })
})

describe('an acknowledgement by query', () => {
  test.each([
    ['submitting', waits, 'processing'],
    ['unconfirmed', waits, 'processing'],
    ['unconfirmed', 'canceled', 'unchanged'],
    ['unconfirmed', 'succeeded', 'unchanged'],
  ] as const)('of a charge that is %s leaves an intent that is %s as %s', (chargeStatus, status, after) => {
    const charge: Charge<'submitting' | 'unconfirmed'> = makeCharge(chargeStatus)
    const plan = planAcknowledged(charge, makeIntent(status), 3_000, nowMs)
    expect(told(plan)).toEqual(['live', after, null, 3_000])
  })
})
