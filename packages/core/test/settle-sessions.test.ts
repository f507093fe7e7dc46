import type { IntentStatus, SessionStatus } from '@merchant-payments/contract'
import { sql } from 'kysely'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { expireSession } from '../src/checkout-sessions/expire.ts'
import { lapseSessions } from '../src/checkout-sessions/lapse.ts'
import type { Session } from '../src/checkout-sessions/session.ts'
import { uuidOf } from '../src/base/ids.ts'
import { declined, makeCharge, makeIntent, makeSession, paid, T0 } from './make.ts'
import { settleCharges } from './passes.ts'
import {
  claimOf,
  hold,
  openWorld,
  readIntent,
  readSession,
  saveCharge,
  saveIntent,
  saveSession,
  typesOf,
  untilWaiting,
} from './world.ts'

const world = await openWorld()
beforeEach(() => {
  world.nowMs = T0 + 60_000
  world.push.whenAsked = () => paid
})
afterAll(() => world.stop())

/** A session whose intent has a charge that is due for a query. */
async function saveCharged(
  status: SessionStatus,
  charge: 'live' | 'failed' = 'live',
  intentStatus: IntentStatus = charge === 'live' ? 'processing' : 'requires_payment_method',
) {
  const intent = await saveIntent(world, makeIntent(intentStatus))
  await saveCharge(world, makeCharge(charge, { intentId: intent.id }))
  return saveSession(world, makeSession(intent, status))
}

const stateOf = async ({ id, intentId }: Session) => {
  const session = await readSession(world, id)
  const intent = await readIntent(world, intentId)
  return [intent?.status, session?.status, session?.paymentStatus]
}

describe('a success', () => {
  test('completes an open session in the transaction that settles, and writes no event of its own [§6.1]', async () => {
    const session = await saveCharged('open')
    await settleCharges(world)
    expect(await readSession(world, session.id)).toEqual({
      ...session,
      status: 'complete',
      paymentStatus: 'paid',
      revision: 1,
    })
    expect(await typesOf(world, session.id)).toEqual([])
    expect(await typesOf(world, session.intentId)).toEqual(['payment_intent.succeeded'])
    const { rows } = await sql<{ together: boolean }>`
      select s.xmin = p.xmin as together from checkout_sessions s
        join payment_intents p on p.id = s.payment_intent_id where s.id = ${uuidOf(session.id)}::uuid`.execute(
      world.db.writer,
    )
    expect(rows).toEqual([{ together: true }])
  })

  test.each([
    ['after a failure', 'failed', 'requires_payment_method'],
    ['after a cancellation', 'live', 'canceled'],
  ] as const)('that comes %s makes an expired session paid, still expired', async (_, charge, status) => {
    const session = await saveCharged('expired', charge, status)
    await settleCharges(world)
    expect(await stateOf(session)).toEqual(['succeeded', 'expired', 'paid'])
    expect(await typesOf(world, session.id)).toEqual([])
  })

  test('of a batch pays the sessions of the intents that it pays, and no other', async () => {
    const sessions = await Promise.all(Array.from({ length: 6 }, () => saveCharged('open')))
    const failing = new Set<string>()
    world.push.whenAsked = ({ reference }) => {
      if (failing.size < 3) failing.add(reference)
      return failing.has(reference) ? { kind: 'failed', decline: declined } : paid
    }
    expect(await settleCharges(world)).toEqual({ claimed: 6, moved: 6 })
    const states = (await Promise.all(sessions.map(stateOf))).map((state) => state.join(' ')).sort()
    expect(states).toEqual([
      ...Array.from({ length: 3 }, () => 'requires_payment_method open unpaid'),
      ...Array.from({ length: 3 }, () => 'succeeded complete paid'),
    ])
  })
})

describe('a settlement and an end of one session', () => {
  test('at once: the expiry waits, finds the session complete and is refused', async () => {
    const session = await saveCharged('open', 'failed')
    const release = await holdSession(session)
    const settled = settleCharges(world)
    await untilWaiting(world)
    const expired = expireSession(world, claimOf(), session.id).catch((error: unknown) => error)
    await release()
    await settled
    const outcome = await expired
    const [intent, status, payment] = await stateOf(session)
    expect([intent, payment]).toEqual(['succeeded', 'paid'])
    expect(status).toBe(outcome instanceof Error ? 'complete' : 'expired')
    if (outcome instanceof Error) expect(outcome).toMatchObject({ code: 'session_not_open' })
  })

  test('a sweep never waits for a settlement, whose session it leaves', async () => {
    const session = await saveCharged('open', 'failed')
    const release = await holdSession(session)
    const settled = settleCharges(world)
    await untilWaiting(world)
    const later = { ...world, clock: () => session.expiresAtMs }
    await lapseSessions(later)
    await release()
    await settled
    expect(await stateOf(session)).toEqual(['succeeded', 'complete', 'paid'])
    expect(await typesOf(world, session.id)).toEqual([])
  })
})

const holdSession = ({ id }: Session) =>
  hold(world, sql`select 1 from checkout_sessions where id = ${uuidOf(id)}::uuid for update`)
