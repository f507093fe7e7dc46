import { sql } from 'kysely'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { openReturn } from '../src/charge-returns/store.ts'
import { mintId, uuidOf } from '../src/base/ids.ts'
import type { QueryOutcome } from '../src/rails/port.ts'
import { checkPayouts, claimDuePayouts } from '../src/payouts/instruct.ts'
import { refundLedger } from '../src/refunds/instruct.ts'
import type { Refund } from '../src/refunds/refund.ts'
import {
  ACME,
  declined,
  makeCharge,
  makeIntent,
  makeRefund,
  makeRefunds,
  notSent,
  PAYER,
  PUSH,
  T0,
  type TestRefunds,
  unavailable,
  unknown,
} from './make.ts'
import { instructRefunds, instructReturns } from './passes.ts'
import {
  hold,
  openWorld,
  readJob,
  readRefund,
  reservedOf,
  saveCharge,
  saveIntent,
  savePaid,
  saveRefund,
  typesOf,
  untilWaiting,
} from './world.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const pending: QueryOutcome = { kind: 'pending' }
const notFound: QueryOutcome = { kind: 'not_found' }
const denied: QueryOutcome = { kind: 'failed', decline: declined }

const world = await openWorld()
let refunds: TestRefunds
beforeEach(async () => {
  world.nowMs = T0 + MINUTE_MS
  world.alerts.length = 0
  refunds = makeRefunds()
  refunds.whenAsked = () => unavailable
  world.push.refunds = refunds
  await sql`delete from refund_jobs`.execute(world.owner.writer)
})
afterAll(() => world.stop())

const rulingOf = (payout: string, outcome: string) =>
  sql<{ reference: string; instruction: string }>`
    select reference, instruction
    from ops_resolve_payout(${payout}, ${outcome}, 'statement of 21 November', 'ada')`

const resolve = (payout: string, outcome: string) => rulingOf(payout, outcome).execute(world.db.writer)

const rulingsOf = async (payout: string) =>
  (
    await sql<{ outcome: string; reason: string; operator: string }>`
      select outcome, reason, operator from payout_rulings where payout = ${payout}`.execute(world.db.writer)
  ).rows

/** A refund of a new payment, about which its rail says nothing. */
async function saveSilent(fields: Partial<Refund> = {}): Promise<Refund<'pending'>> {
  const { id: intentId } = await savePaid(world)
  return saveRefund(world, { ...makeRefund('pending', fields), intentId }, {})
}

async function stateOf(refund: Refund) {
  const { status, failureReason, instruction } = await readRefund(world, refund.id)
  return {
    status,
    failureReason,
    instruction,
    held: await reservedOf(world, refund.intentId),
    hasJob: (await readJob(world, refund.id)) !== null,
    events: await typesOf(world, refund.id),
  }
}

const paid = {
  status: 'pending',
  failureReason: null,
  instruction: 'accepted',
  held: 400,
  hasJob: false,
  events: [],
}
const failed = {
  status: 'failed',
  failureReason: 'declined',
  instruction: 'refused',
  held: 0,
  // It is watched for a late payment.
  hasJob: true,
  events: ['charge.refund.updated'],
}

describe('a refund that was sent, of which its rail says nothing', () => {
  test.each([
    ['paid', paid],
    ['not_paid', failed],
  ])('is %s by an operator’s word, without asking the rail', async (outcome, expected) => {
    const refund = await saveSilent()
    const { rows } = await resolve(refund.id, outcome)
    expect(rows).toEqual([{ reference: refund.reference, instruction: 'sent' }])
    // The function itself moves nothing.
    expect((await readRefund(world, refund.id)).instruction).toBe('sent')
    await instructRefunds(world)
    expect(await stateOf(refund)).toEqual(expected)
    expect([refunds.asked, refunds.sent]).toEqual([[], []])
    expect(await rulingsOf(refund.id)).toEqual([
      { outcome, reason: 'statement of 21 November', operator: 'ada' },
    ])
  })

  test('is ruled at once, also if its job rests', async () => {
    const refund = await saveSilent()
    await sql`update refund_jobs set rested_at = now(), failures = 8, due_at = now() + interval '1 day'`.execute(
      world.owner.writer,
    )
    await resolve(refund.id, 'paid')
    // The database's clock is ahead of the test's, and has microseconds.
    world.nowMs = Date.now() + 1_000
    await instructRefunds(world)
    expect(await stateOf(refund)).toEqual(paid)
  })

  test('is ruled by the next look, if the rail is just being asked', async () => {
    const refund = await saveSilent()
    refunds.whenAsked = async () => {
      await resolve(refund.id, 'not_paid')
      return unavailable
    }
    await instructRefunds(world)
    expect((await stateOf(refund)).status).toBe('pending')
    await instructRefunds(world)
    expect(await stateOf(refund)).toEqual(failed)
  })

  test('is not sent again by the look during which it is ruled, whose rail does not know it', async () => {
    const refund = await saveSilent()
    refunds.whenAsked = async () => {
      await resolve(refund.id, 'not_paid')
      return notFound
    }
    await instructRefunds(world)
    expect(refunds.sent).toEqual([])
    await instructRefunds(world)
    expect(await stateOf(refund)).toEqual(failed)
    expect(refunds.sent).toEqual([])
  })

  test('is as the rail says, if the rail answers at last', async () => {
    const refund = await saveSilent()
    refunds.whenAsked = async () => {
      await resolve(refund.id, 'not_paid')
      return { kind: 'succeeded', railTxnId: '1', amountMinor: 400, currency: 'XAF' }
    }
    await instructRefunds(world)
    expect(await stateOf(refund)).toEqual(paid)
  })

  test('is watched after a ruling, and an operator learns of a late payment', async () => {
    const refund = await saveSilent()
    await resolve(refund.id, 'not_paid')
    await instructRefunds(world)
    refunds.whenAsked = () => ({ kind: 'succeeded', railTxnId: '1', amountMinor: 400, currency: 'XAF' })
    world.nowMs += MINUTE_MS
    await instructRefunds(world)
    expect(await stateOf(refund)).toEqual({ ...failed, hasJob: false })
    expect(world.alerts).toEqual([
      { name: 'refund_paid_after_failure', facts: { rail: PUSH, refund: refund.id } },
    ])
  })
})

test('a refund that was never sent is not paid by a ruling, and fails by one without a watch', async () => {
  const refund = await saveSilent({ instruction: 'unsent' })
  await expect(resolve(refund.id, 'paid')).rejects.toMatchObject({
    code: '23514',
    message: 'the payout was not sent',
  })
  await resolve(refund.id, 'not_paid')
  await instructRefunds(world)
  expect(await stateOf(refund)).toEqual({ ...failed, hasJob: false })
  expect([refunds.asked, refunds.sent]).toEqual([[], []])
})

test('a refund that was never sent is not sent by the look during which it is ruled', async () => {
  const refund = await saveSilent({ instruction: 'unsent' })
  const parts = await claimDuePayouts(world, refundLedger, { limit: 10, lost: new Set() })
  await resolve(refund.id, 'not_paid')
  for (const part of parts) await checkPayouts(world, refundLedger, part)
  expect(await stateOf(refund)).toMatchObject({ status: 'pending', instruction: 'unsent' })
  await instructRefunds(world)
  expect(await stateOf(refund)).toEqual({ ...failed, hasJob: false })
  expect([refunds.asked, refunds.sent]).toEqual([[], []])
})

test('a ruling of paid during a send that fails marks the refund paid and sends nothing more', async () => {
  const refund = await saveSilent({ instruction: 'unsent' })
  refunds.whenSent = async () => {
    await resolve(refund.id, 'paid')
    return notSent
  }
  await instructRefunds(world)
  expect(await stateOf(refund)).toMatchObject({ instruction: 'unsent', hasJob: true })
  for (let look = 0; look < 2; look += 1) {
    world.nowMs += MINUTE_MS
    await instructRefunds(world)
  }
  expect(await stateOf(refund)).toEqual(paid)
  expect(refunds.sent).toHaveLength(1)
  expect(world.alerts).toEqual([])
})

test('a ruling of paid during a send that the rail declines is acted on after the refund has failed', async () => {
  const refund = await saveSilent({ instruction: 'unsent' })
  refunds.whenSent = async () => {
    await resolve(refund.id, 'paid')
    return { kind: 'declined', decline: declined }
  }
  await instructRefunds(world)
  expect(await stateOf(refund)).toEqual({ ...failed, failureReason: declined.code })
  expect(world.alerts).toEqual([])
  await instructRefunds(world)
  expect(await stateOf(refund)).toEqual({ ...failed, failureReason: declined.code, hasJob: false })
  expect(world.alerts).toEqual([
    { name: 'refund_paid_after_failure', facts: { rail: PUSH, refund: refund.id } },
  ])
  expect([refunds.asked, refunds.sent.length]).toEqual([[], 1])
})

describe('a refund that its rail has queued', () => {
  test.each([
    ['paid', paid],
    ['not_paid', failed],
  ])('is %s by an operator’s word', async (outcome, expected) => {
    const refund = await saveSilent()
    refunds.whenAsked = () => pending
    await instructRefunds(world)
    expect(await stateOf(refund)).toEqual({ ...paid, hasJob: true })
    await resolve(refund.id, outcome)
    world.nowMs += MINUTE_MS
    await instructRefunds(world)
    expect(await stateOf(refund)).toEqual(expected)
  })
})

describe('a refund that has failed and is watched', () => {
  test.each([
    ['paid', ['refund_paid_after_failure']],
    ['not_paid', []],
  ])('is watched no more once an operator says that it is %s', async (outcome, alerts) => {
    const refund = await saveSilent()
    await resolve(refund.id, 'not_paid')
    await instructRefunds(world)
    await resolve(refund.id, outcome)
    world.nowMs += MINUTE_MS
    await instructRefunds(world)
    expect(await stateOf(refund)).toEqual({ ...failed, hasJob: false })
    expect(world.alerts.map(({ name }) => name)).toEqual(alerts)
  })
})

describe('a payout that has failed, of which the rail is asked for the last time', () => {
  const lookAfter = async (waitMs: number, look: typeof instructRefunds) => {
    world.nowMs += waitMs
    await look(world)
  }
  const lookUntilLast = async (look: typeof instructRefunds) => {
    for (const waitMs of [MINUTE_MS, 5 * MINUTE_MS, 15 * MINUTE_MS, 49 * HOUR_MS])
      await lookAfter(waitMs, look)
  }
  const lookForRuling = async (id: string, look: typeof instructRefunds) => {
    expect(await rulingsOf(id)).toHaveLength(1)
    expect(world.alerts).toEqual([])
    const asked = refunds.asked.length
    await look(world)
    expect(refunds.asked).toHaveLength(asked)
  }
  const ruleAtLast = async (id: string, outcome: string, look: typeof instructRefunds) => {
    await lookUntilLast(look)
    refunds.whenAsked = async () => {
      await resolve(id, outcome)
      return denied
    }
    await lookAfter(25 * HOUR_MS, look)
    await lookForRuling(id, look)
  }
  const saveDenied = async () => {
    const refund = await saveSilent()
    refunds.whenAsked = () => denied
    await instructRefunds(world)
    return refund
  }

  test.each([
    ['paid', ['refund_paid_after_failure']],
    ['not_paid', []],
  ])('is %s by a ruling that comes before the rail denies it', async (outcome, alerts) => {
    const refund = await saveDenied()
    await ruleAtLast(refund.id, outcome, instructRefunds)
    expect(await stateOf(refund)).toEqual({ ...failed, failureReason: declined.code, hasJob: false })
    expect(world.alerts.map(({ name }) => name)).toEqual(alerts)
  })

  test('is paid by a ruling whose transaction ends while the end of the job waits for it', async () => {
    const refund = await saveDenied()
    await lookUntilLast(instructRefunds)
    let commit = () => Promise.resolve()
    refunds.whenAsked = async () => {
      commit = await hold(world, rulingOf(refund.id, 'paid'))
      return denied
    }
    const looking = lookAfter(25 * HOUR_MS, instructRefunds)
    await untilWaiting(world)
    await commit()
    await looking
    await lookForRuling(refund.id, instructRefunds)
    expect(world.alerts.map(({ name }) => name)).toEqual(['refund_paid_after_failure'])
    expect(await readJob(world, refund.id)).toBeNull()
  })

  test('and that is a return, is ruled in the same way', async () => {
    const { id: intentId } = await saveIntent(world, makeIntent('succeeded'))
    const { id: chargeId } = await saveCharge(world, makeCharge('duplicate', { intentId }))
    const id = mintId('rt', world.nowMs)
    const charge = { merchantId: ACME, chargeId, destination: PAYER }
    const named = { charge, knownSinceMs: world.nowMs, requestId: 'req_1' }
    const wanted = { id, ...named, reference: id, submitDeadlineMs: world.nowMs + 7_000 }
    await openReturn(world.db.writer, wanted, world.nowMs)
    refunds.whenSent = () => unknown
    refunds.whenAsked = () => denied
    await instructReturns(world)
    await lookAfter(MINUTE_MS, instructReturns)
    await ruleAtLast(id, 'paid', instructReturns)
    expect(world.alerts).toEqual([
      { name: 'refund_paid_after_failure', facts: { rail: PUSH, charge_return: id } },
    ])
  })
})

describe('a return of a duplicate charge', () => {
  /** A return that was sent, of which its rail said nothing. */
  async function openSilent() {
    const { id: intentId } = await saveIntent(world, makeIntent('succeeded'))
    const { id: chargeId } = await saveCharge(world, makeCharge('duplicate', { intentId }))
    const again = async () => {
      const id = mintId('rt', world.nowMs)
      const charge = { merchantId: ACME, chargeId, destination: PAYER }
      const named = { charge, knownSinceMs: world.nowMs, requestId: 'req_1' }
      const wanted = { id, ...named, reference: id, submitDeadlineMs: world.nowMs + 7_000 }
      await openReturn(world.db.writer, wanted, world.nowMs)
      refunds.whenSent = () => unknown
      await instructReturns(world)
      return id
    }
    return { id: await again(), again }
  }
  const lookLater = async (id: ReturnType<typeof mintId<'rt'>>) => {
    world.nowMs += MINUTE_MS
    await instructReturns(world)
    const row = await world.db.reader
      .selectFrom('charge_returns')
      .select(['instruction', 'failure_reason'])
      .where('id', '=', uuidOf(id))
      .executeTakeFirstOrThrow()
    return [row.instruction, row.failure_reason]
  }

  test('is ruled in the same way', async () => {
    const { id: first, again } = await openSilent()
    await resolve(first, 'not_paid')
    expect(await lookLater(first)).toEqual(['refused', 'declined'])
    const second = await again()
    await resolve(second, 'paid')
    expect(await lookLater(second)).toEqual(['accepted', null])
    expect(await rulingsOf(second)).toHaveLength(1)
  })

  test('is not sent again by the look during which it is ruled, whose rail does not know it', async () => {
    const { id } = await openSilent()
    expect(refunds.sent).toHaveLength(1)
    refunds.whenAsked = async () => {
      await resolve(id, 'not_paid')
      return notFound
    }
    expect(await lookLater(id)).toEqual(['sent', null])
    expect(await lookLater(id)).toEqual(['refused', 'declined'])
    expect(refunds.sent).toHaveLength(1)
  })
})

describe('a ruling is refused', () => {
  test('while the refund is being sent', async () => {
    const refund = await saveSilent({ submitDeadlineMs: Date.now() + 60_000 })
    await expect(resolve(refund.id, 'paid')).rejects.toThrow(/^the payout is being sent until /)
  })

  test('once the rail has said that it paid', async () => {
    const refund = await saveSilent()
    refunds.whenAsked = () => ({ kind: 'succeeded', railTxnId: '1', amountMinor: 400, currency: 'XAF' })
    await instructRefunds(world)
    await expect(resolve(refund.id, 'not_paid')).rejects.toThrow(
      'the payout is accepted, and its rail is not asked about it any more',
    )
    expect(await rulingsOf(refund.id)).toEqual([])
  })

  test('until the worker has acted on the one before', async () => {
    const refund = await saveSilent()
    await resolve(refund.id, 'paid')
    await expect(resolve(refund.id, 'not_paid')).rejects.toThrow(
      'the payout is ruled paid already: the worker acts on it',
    )
  })
})

test.each([
  'update payout_rulings set operator = null',
  'delete from payout_rulings',
  'truncate payout_rulings',
])('who ruled what is kept: %s', async (statement) => {
  await resolve((await saveSilent()).id, 'paid')
  await expect(sql.raw(statement).execute(world.db.writer)).rejects.toMatchObject({ code: '42501' })
  await expect(sql.raw(statement).execute(world.owner.writer)).rejects.toMatchObject({ code: '23001' })
})
