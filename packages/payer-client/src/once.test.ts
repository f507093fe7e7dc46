import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Fault, Sent } from '../test/network.ts'
import { INTENT_ID, type RailPlan } from '../test/service.ts'
import { createWorld, ORDER } from '../test/world.ts'
import type { BrowserIntent, PaymentResult } from './index.ts'

const RUNS = 400
const confirmPath = `/v1/browser/payment_intents/${INTENT_ID}/confirm`

const fault: fc.Arbitrary<Fault> = fc.record(
  {
    kind: fc.constantFrom('offline', 'hang', 'reply_lost', 'error_before', 'error_after', 'foreign_page'),
    outMs: fc.constantFrom(0, 50, 3_000, 45_000),
    backMs: fc.constantFrom(0, 50, 3_000, 45_000),
  },
  { requiredKeys: [] },
)

const plan: fc.Arbitrary<RailPlan> = fc.record(
  {
    submit: fc.constantFrom('accepted', 'accepted', 'declined', 'unknown', 'not_sent'),
    submitMs: fc.constantFrom(1, 2_000, 40_000),
    outcome: fc.constantFrom('succeeded', 'failed', 'failed', 'never'),
    settleMs: fc.constantFrom(1, 4_000, 120_000),
    lateSuccessMs: fc.constantFrom(1_000, 60_000),
    code: fc.constantFrom('payer_declined', 'insufficient_funds'),
  },
  { requiredKeys: ['submit'] },
)

interface Step {
  readonly press: 'pay' | 'pay_other_number' | 'resume'
  readonly isReloaded: boolean
  /** Null: the payer stays until the result. */
  readonly leavesAfterMs: number | null
  /** Another device of the payer also pays, after this time; null for none. */
  readonly elsewhereAfterMs: number | null
}

const step: fc.Arbitrary<Step> = fc.record({
  press: fc.constantFrom('pay', 'pay_other_number', 'resume'),
  isReloaded: fc.boolean(),
  leavesAfterMs: fc.constantFrom(null, null, 10, 900, 20_000),
  elsewhereAfterMs: fc.constantFrom(null, null, null, 5, 1_500),
})

const script = fc.record({
  faults: fc.array(fc.oneof(fc.constant<Fault>({}), fault), { maxLength: 40 }),
  rail: fc.array(plan, { maxLength: 6 }),
  steps: fc.array(step, { minLength: 1, maxLength: 6 }),
})

test('whatever the network, the rail and the payer do, no key is sent while another may still charge, and every result is true [§4.6]', async () => {
  const property = fc.asyncProperty(script, async ({ faults, rail, steps }) => {
    const payer = openPayer(faults, rail)
    for (const each of steps) await payer.act(each)
    // At the end, the network has no more faults.
    faults.length = 0
    await payer.act({ press: 'resume', isReloaded: true, leavesAfterMs: null, elsewhereAfterMs: null })
    expect(await payer.harm()).toEqual([])
  })
  await fc.assert(property, { numRuns: RUNS })
}, 60_000)

function openPayer(faults: Fault[], rail: readonly RailPlan[]) {
  const violations: string[] = []
  const world = createWorld({
    rail,
    nextFault: (sent) => {
      violations.push(...violationsOf(sent))
      return faults.shift() ?? {}
    },
  })
  const { clock, network, service } = world
  let client = world.client()
  let presses = 0
  let declines = 0

  /** The violations of a request at the moment it is sent. An empty order closes its key and charges nothing. */
  function violationsOf({ method, headers, body }: Sent): string[] {
    if (method !== 'POST' || body === '') return []
    const key = headers['idempotency-key'] ?? ''
    const underWay = network.confirms().filter(({ isUnderWay, body }) => isUnderWay && body !== '')
    const keysUnderWay = underWay.map(({ headers }) => headers['idempotency-key'] ?? '')
    const live = service.charges.filter(({ status }) =>
      ['submitting', 'live', 'unconfirmed'].includes(status),
    )
    const openKeys = [
      ...keysUnderWay.filter((each) => !service.keys.has(each)),
      ...live.map((charge) => charge.key).filter((each) => !each.startsWith('elsewhere')),
    ]
    return openKeys.filter((each) => each !== key).map((each) => `${key} was sent beside ${each}`)
  }

  function payElsewhere(): void {
    presses += 1
    const headers = { ...network.sent[0]?.headers, 'idempotency-key': `elsewhere-${presses}` }
    void service.handle({
      method: 'POST',
      path: confirmPath,
      headers,
      body: 'payment_method_data[type]=mtn_momo_cm',
    })
  }

  function believe(result: PaymentResult | null): void {
    if (result === null || result.outcome === 'unresolved') return
    expect(service.reads).toContain(JSON.stringify(result.intent))
    expect(outcomeOf(result.intent)).toBe(result.outcome)
  }

  return {
    async act({ press, isReloaded, leavesAfterMs, elsewhereAfterMs }: Step) {
      if (isReloaded) client = world.client()
      const controller = new AbortController()
      const options = { signal: controller.signal }
      const msisdn = press === 'pay_other_number' ? '6 70 00 00 02' : ORDER.msisdn
      const work = press === 'resume' ? client.resume(options) : client.pay({ ...ORDER, msisdn }, options)
      if (leavesAfterMs !== null) clock.setTimeout(() => controller.abort(), leavesAfterMs)
      if (elsewhereAfterMs !== null) clock.setTimeout(payElsewhere, elsewhereAfterMs)
      const result = await clock.settle(work)
      believe(result)
      if (press === 'resume') return
      presses += 1
      if (result?.outcome === 'failed') declines += 1
    },
    async harm(): Promise<readonly string[]> {
      await clock.advance(10 * 60_000)
      const charges = service.charges.filter(({ status }) => status !== 'abandoned').length
      return [
        ...violations,
        ...(charges > presses ? [`${presses} presses made ${charges} charges`] : []),
        ...(declines > charges ? [`${charges} charges were declined ${declines} times`] : []),
        ...(clock.pending() > 0 ? ['something still waits'] : []),
      ]
    },
  }
}

function outcomeOf({ status, live_charge, last_payment_error }: BrowserIntent): string {
  if (status === 'succeeded' || status === 'canceled') return status
  if (status === 'processing' || live_charge !== null) return 'pending'
  return last_payment_error === null ? 'nothing' : 'failed'
}
