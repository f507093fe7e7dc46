import { instant } from '@merchant-payments/db'
import { sql } from 'kysely'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import type { Refund } from '../src/refunds/refund.ts'
import { updateRefund } from '../src/refunds/update.ts'
import { uuidOf } from '../src/base/ids.ts'
import type { QueryOutcome, RailCode, RefundOutcome } from '../src/rails/port.ts'
import { LEASE_MS } from '../src/queue/claim.ts'
import { UNKNOWN_RAIL_WAIT_MS } from '../src/queue/floors.ts'
import {
  declined,
  heldBack,
  makeRail,
  makeRefund,
  makeRefunds,
  notSent,
  PAYER,
  PUSH,
  REDIRECT,
  T0,
  type TestRefunds,
  unavailable,
  unknown,
} from './make.ts'
import { instructRefunds } from './passes.ts'
import {
  claimOf,
  markErased,
  openWorld,
  readJob,
  readRefund,
  reservedOf,
  saveCustomer,
  savePaid,
  type SavedJob,
  saveRefund,
  typesOf,
} from './world.ts'

const MINUTE_MS = 60_000

const world = await openWorld()
let refunds: TestRefunds
beforeEach(async () => {
  world.nowMs = T0 + MINUTE_MS
  world.alerts.length = 0
  refunds = makeRefunds()
  world.push.refunds = refunds
  // Removes the jobs that other tests left for the worker.
  await world.db.transact((tx) => tx.deleteFrom('refund_jobs').execute())
})
afterAll(() => world.stop())

/** A refund of a new payment, due for the worker. */
async function saveWaiting(
  fields: Partial<Refund> = {},
  job: Partial<SavedJob> = {},
): Promise<Refund<'pending'>> {
  const refund = makeRefund('pending', fields)
  const { id: intentId } = await savePaid(world, { customerId: refund.customerId })
  return saveRefund(world, { ...refund, intentId }, job)
}

const erase = ({ customerId }: Refund, atMs: number) =>
  customerId === null ? undefined : markErased(world.db.writer, customerId, atMs)

async function stateOf(refund: Refund) {
  const after = await readRefund(world, refund.id)
  const job = await readJob(world, refund.id)
  return {
    status: after.status,
    failureReason: after.failureReason,
    instruction: after.instruction,
    number: after.destination,
    lookInMs: job === null ? null : job.due_at - world.nowMs,
    held: await reservedOf(world, refund.intentId),
    events: (await typesOf(world, refund.id)).length,
  }
}

/** Runs the pass this many times, two minutes apart. */
async function lookAgain(times: number): Promise<void> {
  for (let n = 0; n < times; n += 1) {
    world.nowMs += 2 * MINUTE_MS
    await instructRefunds(world)
  }
}

const raisedAbout = async ({ id }: Refund) =>
  (await world.db.reader.selectFrom('raised_alerts').select('alert').where('object', '=', id).execute()).map(
    ({ alert }) => alert,
  )

const calls = () => ({ asked: refunds.asked.length, sent: refunds.sent.length })

const taken = {
  status: 'pending',
  failureReason: null,
  instruction: 'accepted',
  number: null,
  // Until the rail says that it has paid.
  lookInMs: MINUTE_MS,
  held: 400,
  events: 0,
}
const failed = {
  ...taken,
  status: 'failed',
  failureReason: 'insufficient_funds',
  instruction: 'refused',
  lookInMs: null,
  held: 0,
  events: 1,
}
/** A payout that the rail may have had is watched for a while after it has failed. */
const watched = { lookInMs: MINUTE_MS }
/** The rail has paid it. */
const over = { lookInMs: null }
const waits = { ...taken, instruction: 'sent', number: PAYER, lookInMs: 2_000 }
const unsent = { ...waits, instruction: 'unsent' }

const accepted: RefundOutcome = { kind: 'accepted' }
const refused: RefundOutcome = { kind: 'declined', decline: declined }
const pending: QueryOutcome = { kind: 'pending' }
const paid: QueryOutcome = { kind: 'succeeded', railTxnId: '1', amountMinor: 400, currency: 'XAF' }
const notFound: QueryOutcome = { kind: 'not_found' }
const refusedBefore: QueryOutcome = { kind: 'failed', decline: declined }

describe('a refund that certainly never reached its rail is sent, under its one reference', () => {
  test.each<[string, RefundOutcome, object]>([
    ['taken', accepted, taken],
    ['refused', refused, failed],
    ['not sent again', notSent, unsent],
    ['perhaps sent', unknown, waits],
  ])('%s', async (_, outcome, expected) => {
    const refund = await saveWaiting({ instruction: 'unsent' })
    refunds.whenSent = () => outcome
    await instructRefunds(world)
    expect(await stateOf(refund)).toEqual(expected)
    expect(refunds.asked).toEqual([])
    expect(refunds.sent).toEqual([
      {
        reference: refund.reference,
        merchantId: refund.merchantId,
        object: refund.id,
        amountMinor: 400,
        currency: 'XAF',
        destination: PAYER,
        deadlineMs: world.nowMs + 5_000,
      },
    ])
  })

  test('and a rail that refuses our credentials is an alert', async () => {
    const refund = await saveWaiting({ instruction: 'unsent' })
    const evidence = {
      operation: 'token',
      httpStatus: 401,
      railCode: null,
      errno: null,
      elapsedMs: 3,
    } as const
    refunds.whenSent = () => ({ kind: 'not_sent', evidence })
    await instructRefunds(world)
    expect(await stateOf(refund)).toEqual(unsent)
    expect(world.alerts).toEqual([
      {
        name: 'rail_misconfigured',
        facts: { rail: PUSH, refund: refund.id, rail_code: null, operation: 'token', http_status: 401 },
      },
    ])
    expect(await raisedAbout(refund)).toEqual(['rail_misconfigured'])
  })

  test('and its try is committed before it begins', async () => {
    const refund = await saveWaiting({ instruction: 'unsent' })
    const seen: string[] = []
    refunds.whenSent = async () => {
      seen.push((await readRefund(world, refund.id)).instruction)
      return accepted
    }
    await instructRefunds(world)
    expect(seen).toEqual(['sent'])
  })
})

describe('a refund that its rail may have is asked for first', () => {
  test.each<[string, QueryOutcome, object]>([
    ['the rail has it', pending, taken],
    ['the rail has paid it', paid, { ...taken, ...over }],
    ['the rail has refused it', refusedBefore, { ...failed, ...watched }],
    ['the rail says nothing', unavailable, waits],
  ])('%s: it is not sent', async (_, outcome, expected) => {
    const refund = await saveWaiting()
    refunds.whenAsked = () => outcome
    await instructRefunds(world)
    expect(await stateOf(refund)).toEqual(expected)
    expect(calls()).toEqual({ asked: 1, sent: 0 })
  })

  test('an unknown status word changes no state: it raises an alert, and the rail is queried again', async () => {
    const refund = await saveWaiting()
    refunds.whenAsked = () => ({ kind: 'unknown_status', status: 'HELD' })
    await instructRefunds(world)
    expect(await stateOf(refund)).toEqual(waits)
    expect(calls()).toEqual({ asked: 1, sent: 0 })
    expect(world.alerts).toEqual([
      { name: 'rail_unknown_status', facts: { rail: PUSH, refund: refund.id, status: 'HELD' } },
    ])
  })

  test('a refusal because of our configuration raises one alert', async () => {
    const refund = await saveWaiting()
    refunds.whenAsked = () => ({ kind: 'failed', decline: { ...declined, actor: 'merchant_config' } })
    await instructRefunds(world)
    expect(await stateOf(refund)).toEqual({ ...failed, ...watched })
    await lookAgain(3)
    expect(calls().asked).toBeGreaterThan(1)
    expect(world.alerts).toEqual([
      { name: 'rail_misconfigured', facts: { rail: PUSH, refund: refund.id, rail_code: 'NOT_ENOUGH_FUNDS' } },
    ])
  })

  test('an adapter that throws proves nothing, and raises an alert', async () => {
    const refund = await saveWaiting()
    refunds.whenAsked = () => Promise.reject(new TypeError('a bug'))
    await instructRefunds(world)
    expect(await stateOf(refund)).toEqual(waits)
    expect(world.alerts).toMatchObject([{ name: 'rail_adapter_fault' }])
  })

  test('not found at a rail that takes a reference once: sent again at once', async () => {
    const refund = await saveWaiting()
    await instructRefunds(world)
    expect(await stateOf(refund)).toEqual(taken)
    expect(calls()).toEqual({ asked: 1, sent: 1 })
  })

  test('a refusal of the second try is believed once the rail has had neither for two minutes', async () => {
    const refund = await saveWaiting()
    refunds.whenSent = () => refused
    await instructRefunds(world)
    expect(await stateOf(refund)).toEqual(waits)
    await lookAgain(2)
    expect(await stateOf(refund)).toMatchObject({ instruction: 'sent', number: PAYER, held: 400 })
    await lookAgain(1)
    expect(await stateOf(refund)).toEqual({ ...failed, ...watched })
    expect(calls()).toEqual({ asked: 4, sent: 1 })
  })

  test('a long outage proves nothing either: one not-found after it leaves a refusal in doubt', async () => {
    const refund = await saveWaiting({}, { tries: 6 })
    world.nowMs += 60 * MINUTE_MS
    refunds.whenSent = () => refused
    await instructRefunds(world)
    expect(await stateOf(refund)).toMatchObject({ status: 'pending', instruction: 'sent', held: 400 })
  })
})

describe('a refusal that the rail’s answer does not prove', () => {
  const inDoubt: RefundOutcome = { kind: 'refusal_unconfirmed', decline: declined }

  test('fails nothing yet: the number and the reservation are kept, and nothing is sent again', async () => {
    const refund = await saveWaiting({ instruction: 'unsent' })
    refunds.whenSent = () => inDoubt
    await instructRefunds(world)
    await lookAgain(2)
    expect(await stateOf(refund)).toMatchObject({ instruction: 'sent', number: PAYER, held: 400, events: 0 })
    expect(calls()).toEqual({ asked: 2, sent: 1 })
  })

  test('is believed after three answers over two minutes that the rail has nothing', async () => {
    const refund = await saveWaiting({ instruction: 'unsent' })
    refunds.whenSent = () => inDoubt
    await instructRefunds(world)
    await lookAgain(3)
    expect(await stateOf(refund)).toEqual({ ...failed, ...watched })
    expect(await readRefund(world, refund.id)).toMatchObject({ railCode: declined.railCode, refusal: null })
  })

  test('is forgotten when the rail pays after all: no second refund can be made of the same money', async () => {
    const refund = await saveWaiting({ instruction: 'unsent' })
    refunds.whenSent = () => inDoubt
    await instructRefunds(world)
    await lookAgain(1)
    refunds.whenAsked = () => paid
    await lookAgain(1)
    expect(await stateOf(refund)).toEqual({ ...taken, ...over })
    expect(await readRefund(world, refund.id)).toMatchObject({ railCode: null, railMessage: null })
  })

  test('raises an alert if its cause is our configuration', async () => {
    await saveWaiting({ instruction: 'unsent' })
    refunds.whenSent = () => ({ ...inDoubt, decline: { ...declined, actor: 'merchant_config' } })
    await instructRefunds(world)
    expect(world.alerts).toMatchObject([{ name: 'rail_misconfigured' }])
  })
})

describe('a rail without de-duplication is never instructed twice blindly', () => {
  beforeEach(() => {
    refunds.dedupes = false
  })

  test('not found is believed after three answers over two minutes', async () => {
    const refund = await saveWaiting()
    for (const asked of [1, 2]) {
      await instructRefunds(world)
      expect(calls()).toEqual({ asked, sent: 0 })
      world.nowMs += 5_000
    }
    await instructRefunds(world)
    expect(calls()).toEqual({ asked: 3, sent: 0 })
    world.nowMs += 3 * MINUTE_MS
    await instructRefunds(world)
    expect(calls()).toEqual({ asked: 4, sent: 1 })
    expect(await stateOf(refund)).toEqual(taken)
  })

  test('if a worker dies during a send, the next worker waits the full time again', async () => {
    const { submitDeadlineMs } = await saveWaiting({}, { notFoundCount: 2 })
    world.nowMs = submitDeadlineMs + 2 * MINUTE_MS
    const sending = Promise.withResolvers<void>()
    refunds.whenSent = () => {
      sending.resolve()
      return new Promise(() => undefined)
    }
    void instructRefunds(world)
    await sending.promise
    refunds.whenSent = () => accepted
    world.nowMs += LEASE_MS
    expect(await instructRefunds(world)).toEqual({ claimed: 1, moved: 0 })
    expect(calls()).toEqual({ asked: 2, sent: 1 })
  })

  test('what was certainly not sent is sent at once', async () => {
    const refund = await saveWaiting({ instruction: 'unsent' })
    await instructRefunds(world)
    expect(await stateOf(refund)).toEqual(taken)
  })
})

describe('a refund that its rail has accepted', () => {
  const saveAccepted = () => saveWaiting({ instruction: 'accepted', destination: null })
  const lookFor = async (hours: number) => {
    for (let n = 0; n < hours; n += 1) {
      world.nowMs += 60 * MINUTE_MS
      await instructRefunds(world)
    }
  }

  test('fails if the rail only queued it and refuses it then: nothing is reserved, with one event', async () => {
    const refund = await saveAccepted()
    refunds.whenAsked = () => refusedBefore
    await instructRefunds(world)
    expect(await stateOf(refund)).toEqual({ ...failed, ...watched })
    expect(await readRefund(world, refund.id)).toMatchObject({ railCode: declined.railCode })
  })

  test('stays pending once the rail has paid it, and is not asked for again [§4.5.1]', async () => {
    const refund = await saveAccepted()
    refunds.whenAsked = () => paid
    await instructRefunds(world)
    expect(await stateOf(refund)).toEqual({ ...taken, ...over })
    await lookFor(1)
    expect(calls()).toEqual({ asked: 1, sent: 0 })
  })

  test.each<[string, QueryOutcome]>([
    ['pending', pending],
    ['not found', notFound],
    ['unavailable', unavailable],
    ['an unknown word', { kind: 'unknown_status', status: 'HELD' }],
  ])(
    'is asked for hourly while the rail says: %s; daily with an alert after two days',
    async (_, outcome) => {
      const refund = await saveAccepted()
      refunds.whenAsked = () => outcome
      await instructRefunds(world)
      const stuck = () => world.alerts.filter(({ name }) => name === 'refund_stuck')
      await lookFor(47)
      expect(stuck()).toEqual([])
      const before = calls().asked
      await lookFor(48)
      expect(calls()).toEqual({ asked: before + 2, sent: 0 })
      expect(stuck()).toHaveLength(2)
      expect(await stateOf(refund)).toMatchObject({ status: 'pending', instruction: 'accepted', held: 400 })
    },
  )

  test('that fails only after two days is watched for two more, because its rail may pay it then', async () => {
    const refund = await saveAccepted()
    world.nowMs += 72 * 60 * MINUTE_MS
    refunds.whenAsked = () => refusedBefore
    await instructRefunds(world)
    expect(await stateOf(refund)).toEqual({ ...failed, ...watched })
    await lookFor(30)
    refunds.whenAsked = () => paid
    await lookFor(24)
    expect(world.alerts.map(({ name }) => name)).toEqual(['refund_paid_after_failure'])
  })

  test('whose second try was a duplicate of a failed first one fails too', async () => {
    const refund = await saveWaiting()
    await instructRefunds(world)
    expect(calls()).toEqual({ asked: 1, sent: 1 })
    refunds.whenAsked = () => refusedBefore
    await lookAgain(1)
    expect(await stateOf(refund)).toEqual({ ...failed, ...watched })
  })
})

describe('a call that found no place in our own queue', () => {
  const STUCK_TRIES = 7

  test.each(['sent', 'accepted', 'refused'] as const)(
    'to query a refund that is %s: it stays on its rung, without an alert, and is due again soon',
    async (instruction) => {
      const hasFailed = instruction === 'refused'
      const refund = makeRefund(hasFailed ? 'failed' : 'pending', {
        instruction,
        ...(instruction !== 'sent' && { destination: null }),
        ...(hasFailed && { failureReason: 'declined' }),
      })
      const { id: intentId } = await savePaid(world)
      await saveRefund(world, { ...refund, intentId }, { tries: STUCK_TRIES, notFoundCount: 1 })
      world.nowMs += 72 * 60 * MINUTE_MS
      refunds.whenAsked = () => heldBack
      await instructRefunds(world)
      expect(await readRefund(world, refund.id)).toEqual({ ...refund, intentId })
      expect(await readJob(world, refund.id)).toMatchObject({
        due_at: world.nowMs + 2_000,
        lease_until: null,
        tries: STUCK_TRIES,
        not_found_count: 1,
      })
      expect(world.alerts).toEqual([])
    },
  )

  test('to send a refund: the try counts as not begun, and the refund stays on its rung', async () => {
    const refund = await saveWaiting({ instruction: 'unsent' }, { tries: STUCK_TRIES })
    refunds.whenSent = () => heldBack
    await instructRefunds(world)
    expect(await stateOf(refund)).toEqual(unsent)
    expect(await readJob(world, refund.id)).toMatchObject({ lease_until: null, tries: STUCK_TRIES })
    refunds.whenSent = () => accepted
    await lookAgain(1)
    expect(await stateOf(refund)).toEqual(taken)
    expect({ calls: calls(), alerts: world.alerts }).toEqual({ calls: { asked: 0, sent: 2 }, alerts: [] })
  })

  test('to send a refund again: the rail may have the earlier try, so it is queried first', async () => {
    const refund = await saveWaiting({}, { tries: STUCK_TRIES })
    refunds.whenAsked = () => notFound
    refunds.whenSent = () => heldBack
    await instructRefunds(world)
    expect(await stateOf(refund)).toEqual(waits)
    expect(await readJob(world, refund.id)).toMatchObject({ lease_until: null, tries: STUCK_TRIES })
    await lookAgain(1)
    expect({ calls: calls(), alerts: world.alerts }).toEqual({ calls: { asked: 2, sent: 2 }, alerts: [] })
  })
})

describe('other money that its rail says it has paid is an alert, once', () => {
  test.each([
    ['another amount', { amountMinor: 40, currency: 'XAF' }, [40, 'XAF']],
    ['another currency', { amountMinor: 400, currency: 'EUR' }, [400, 'EUR']],
    ['money that the adapter could not read', { amountMinor: -1, currency: '' }, [null, null]],
  ] as const)('%s', async (_, money, [amount, currency]) => {
    const refund = await saveWaiting()
    refunds.whenAsked = () => ({ ...paid, ...money })
    await instructRefunds(world)
    await lookAgain(3)
    expect(await stateOf(refund)).toEqual({ ...taken, ...over })
    expect(world.alerts).toEqual([
      {
        name: 'refund_amount_mismatch',
        facts: { rail: PUSH, refund: refund.id, reported_amount: amount, reported_currency: currency },
      },
    ])
    expect(await raisedAbout(refund)).toEqual(['refund_amount_mismatch'])
  })

  test.each([
    ['accepted', ['refund_amount_mismatch']],
    ['refused', ['refund_amount_mismatch', 'refund_paid_after_failure']],
  ] as const)('of a refund that the rail has %s before', async (instruction, alerts) => {
    const refund = await saveWaiting()
    refunds.whenAsked = () => (instruction === 'accepted' ? pending : refusedBefore)
    await instructRefunds(world)
    refunds.whenAsked = () => ({ ...paid, amountMinor: 4_000 })
    await lookAgain(3)
    expect(await stateOf(refund)).toMatchObject({ instruction, ...over })
    expect(world.alerts.map(({ name }) => name)).toEqual(alerts)
    expect((await raisedAbout(refund)).toSorted()).toEqual(alerts)
  })

  test('a rail that reports no money raises none', async () => {
    await saveWaiting()
    refunds.whenAsked = () => ({ ...paid, amountMinor: null, currency: null })
    await instructRefunds(world)
    expect(world.alerts).toEqual([])
  })
})

describe('a customer who was erased', () => {
  test('an unsent instruction fails, and the rail hears nothing', async () => {
    const refund = await saveWaiting({ instruction: 'unsent', customerId: await saveCustomer(world) })
    await erase(refund, T0 + 1_000)
    await instructRefunds(world)
    expect(await stateOf(refund)).toEqual({ ...failed, failureReason: 'customer_erased' })
    expect(calls()).toEqual({ asked: 0, sent: 0 })
  })

  test('a refund that may have been sent is only queried, until the rail is believed not to have it', async () => {
    const refund = await saveWaiting({ customerId: await saveCustomer(world) })
    await erase(refund, T0 + 1_000)
    for (let n = 0; n < 2; n += 1) {
      await instructRefunds(world)
      world.nowMs += 2 * MINUTE_MS
    }
    expect((await stateOf(refund)).instruction).toBe('sent')
    await instructRefunds(world)
    expect(await stateOf(refund)).toEqual({ ...failed, ...watched, failureReason: 'customer_erased' })
    expect(calls()).toEqual({ asked: 3, sent: 0 })
  })

  test('a refund that may have been sent becomes accepted if the rail has it', async () => {
    const refund = await saveWaiting({ customerId: await saveCustomer(world) })
    await erase(refund, T0 + 1_000)
    refunds.whenAsked = () => pending
    await instructRefunds(world)
    expect(await stateOf(refund)).toEqual(taken)
  })

  test('a number that an erasure cleared has the same effect as an erased customer', async () => {
    const refund = await saveWaiting({ instruction: 'unsent', destination: null })
    await instructRefunds(world)
    expect(await stateOf(refund)).toEqual({ ...failed, failureReason: 'customer_erased' })
  })

  test('a number that an erasure clears while the rail is asked stays cleared', async () => {
    const refund = await saveWaiting()
    refunds.whenAsked = async () => {
      await world.db.transact((tx) =>
        tx
          .updateTable('refunds')
          .set({ destination_msisdn: null })
          .where('id', '=', uuidOf(refund.id))
          .execute(),
      )
      return unavailable
    }
    await instructRefunds(world)
    expect(await stateOf(refund)).toEqual({ ...waits, number: null })
  })

  test('a refund made after the erasure is sent: its number was given again', async () => {
    const refund = await saveWaiting({ instruction: 'unsent', customerId: await saveCustomer(world) })
    await erase(refund, T0 - 1)
    await instructRefunds(world)
    expect(await stateOf(refund)).toEqual(taken)
  })
})

describe('a rail that cannot be instructed', () => {
  test('that has no refunds in the configuration of one worker: they are left to another worker', async () => {
    const never = await saveWaiting({ instruction: 'unsent' })
    const perhaps = await saveWaiting()
    const older = { ...world, rails: new Map([[PUSH, makeRail(PUSH)]]) }
    expect(await instructRefunds(older)).toEqual({ claimed: 0, moved: 0 })
    world.nowMs += UNKNOWN_RAIL_WAIT_MS
    expect(await instructRefunds(older)).toEqual({ claimed: 2, moved: 0 })
    expect(await stateOf(never)).toEqual(unsent)
    expect(await stateOf(perhaps)).toEqual(waits)
    await lookAgain(1)
    expect(await stateOf(never)).toEqual(taken)
  })

  test('that has no refunds by the end of the ladder: an unsent refund fails with an alert, one that may have been sent waits', async () => {
    const never = await saveWaiting({ instruction: 'unsent', rail: REDIRECT }, { tries: 5 })
    const perhaps = await saveWaiting({ rail: REDIRECT }, { tries: 5 })
    world.nowMs += UNKNOWN_RAIL_WAIT_MS
    await instructRefunds(world)
    expect(await stateOf(never)).toEqual({ ...unsent, lookInMs: 15 * MINUTE_MS })
    expect(world.alerts).toEqual([])
    world.nowMs += 15 * MINUTE_MS + UNKNOWN_RAIL_WAIT_MS
    await instructRefunds(world)
    expect(await stateOf(never)).toEqual({ ...failed, failureReason: 'not_supported' })
    expect(await stateOf(perhaps)).toEqual({ ...waits, lookInMs: 60 * MINUTE_MS })
    const alertsOf = ({ id: refund }: Refund) =>
      world.alerts.filter(({ facts }) => facts['refund'] === refund).map(({ name }) => name)
    expect([alertsOf(never), alertsOf(perhaps)]).toEqual([['refund_stuck'], ['refund_stuck']])
    expect(await raisedAbout(never)).toEqual(['refund_stuck'])
  })

  test('that has no refunds in one worker: a refund that another worker tried in vain does not fail', async () => {
    const refund = await saveWaiting({ instruction: 'unsent' }, { tries: 5 })
    refunds.whenSent = () => notSent
    await instructRefunds(world)
    const older = { ...world, rails: new Map([[PUSH, makeRail(PUSH)]]) }
    world.nowMs += 15 * MINUTE_MS + UNKNOWN_RAIL_WAIT_MS
    await instructRefunds(older)
    expect(await stateOf(refund)).toEqual({ ...unsent, lookInMs: 60 * MINUTE_MS })
    expect(await raisedAbout(refund)).toEqual(['refund_stuck'])
    world.nowMs += 60 * MINUTE_MS
    refunds.whenSent = () => accepted
    await instructRefunds(world)
    expect(await stateOf(refund)).toEqual(taken)
  })

  test('that settles in another currency now: no refund is sent, and those that may have been sent are queried', async () => {
    const never = await saveWaiting({ instruction: 'unsent' })
    const perhaps = await saveWaiting()
    const queued = await saveWaiting({ instruction: 'accepted', destination: null })
    const euros = { ...makeRail(PUSH, { settlementCurrency: 'EUR' }), refunds }
    await instructRefunds({ ...world, rails: new Map([[PUSH, euros]]) })
    expect(await stateOf(never)).toEqual(unsent)
    expect(await stateOf(perhaps)).toEqual(waits)
    expect(refunds.asked).toEqual(expect.arrayContaining([perhaps.reference, queued.reference]))
    expect(refunds.sent).toEqual([])
  })

  test('that has left the configuration: no refund changes its state', async () => {
    const gone = 'gone' as RailCode
    const never = await saveWaiting({ instruction: 'unsent', rail: gone })
    const perhaps = await saveWaiting({ rail: gone })
    world.nowMs += UNKNOWN_RAIL_WAIT_MS
    await instructRefunds(world)
    expect(await stateOf(never)).toEqual(unsent)
    expect(await stateOf(perhaps)).toEqual(waits)
  })

  test('that cannot be reached raises an alert at the end of the ladder', async () => {
    const refund = await saveWaiting({}, { tries: 6 })
    refunds.whenAsked = () => unavailable
    await instructRefunds(world)
    expect(await stateOf(refund)).toEqual({ ...waits, lookInMs: 60 * MINUTE_MS })
    expect(world.alerts).toEqual([{ name: 'refund_stuck', facts: { refund: refund.id, rail: PUSH } }])
  })
})

describe('several workers', () => {
  test('forty at once handle each refund once', async () => {
    const waiting = await Promise.all(
      Array.from({ length: 60 }, () => saveWaiting({ instruction: 'unsent' })),
    )
    const passes = await Promise.all(Array.from({ length: 40 }, () => instructRefunds(world, 7)))
    let moved = passes.reduce((sum, pass) => sum + pass.moved, 0)
    // A claim locks a job for a moment even if another worker has just taken it. That worker then sets the job aside.
    for (let pass = 0; pass < 3 && moved < waiting.length; pass += 1) {
      world.nowMs += LEASE_MS
      moved += (await instructRefunds(world)).moved
    }
    expect(moved).toBe(60)
    expect(refunds.sent.map(({ reference }) => reference).toSorted()).toEqual(
      waiting.map(({ reference }) => reference).toSorted(),
    )
  })

  test('one that stalled past its lease sends nothing, and writes nothing', async () => {
    const refund = await saveWaiting()
    const stalled = Promise.withResolvers<QueryOutcome>()
    refunds.whenAsked = () => {
      refunds.whenAsked = () => pending
      return stalled.promise
    }
    const slow = instructRefunds(world)
    while (refunds.asked.length === 0) await new Promise(setImmediate)
    world.nowMs += LEASE_MS
    expect(await instructRefunds(world)).toEqual({ claimed: 1, moved: 1 })
    stalled.resolve(notFound)
    expect(await slow).toEqual({ claimed: 1, moved: 0 })
    expect(calls()).toEqual({ asked: 2, sent: 0 })
    expect(await stateOf(refund)).toEqual(taken)
  })

  test('after a change of metadata meanwhile, it is looked after again two seconds later', async () => {
    const refund = await saveWaiting()
    refunds.whenAsked = async () => {
      await updateRefund(world, claimOf(), refund.id, { seen: 'yes' })
      return pending
    }
    expect(await instructRefunds(world)).toEqual({ claimed: 1, moved: 0 })
    refunds.whenAsked = () => pending
    expect(await instructRefunds(world)).toEqual({ claimed: 0, moved: 0 })
    world.nowMs += 2_000
    expect(await instructRefunds(world)).toEqual({ claimed: 1, moved: 1 })
    expect(await stateOf(refund)).toEqual({ ...taken, events: 1 })
  })
})

test('refunds of one payment that fail together release what each held, and no more', async () => {
  const { id: intentId } = await savePaid(world)
  const parts = [100, 200, 300].map((amountMinor) => makeRefund('pending', { intentId, amountMinor }))
  for (const part of parts) await saveRefund(world, part)
  const taken = { instruction: 'accepted', destination: null, instructAtMs: null } as const
  await saveRefund(world, makeRefund('pending', { intentId, ...taken }))
  refunds.whenAsked = () => refusedBefore
  expect(await instructRefunds(world)).toEqual({ claimed: 3, moved: 3 })
  expect(await reservedOf(world, intentId)).toBe(400)
})

test('a pass of a thousand waiting refunds is bounded', async () => {
  const { id: intentId } = await savePaid(world)
  await sql`with reserved as (
      update payment_intents set refund_reserved = 1000 where id = ${intentId.slice(3)}::uuid
    ),
    r as (
      insert into refunds (merchant_id, id, payment_intent_id, status, amount, currency, metadata, livemode, opened_at,
        rail, reference, instruction, destination_msisdn, submit_deadline)
      select 'acme', gen_random_uuid(), ${intentId.slice(3)}::uuid, 'pending', 1, 'XAF', '{}', false, now(), ${PUSH},
        gen_random_uuid(), 'sent', ${PAYER}, now() from generate_series(1, 1000)
      returning merchant_id, id, rail)
    insert into refund_jobs (merchant_id, refund_id, rail, due_at)
    select merchant_id, id, rail, ${instant(T0)}::timestamptz from r`.execute(world.db.writer)
  refunds.whenAsked = () => pending
  expect(await instructRefunds(world)).toEqual({ claimed: 50, moved: 50 })
})
