import { CheckoutSession } from '@merchant-payments/contract'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { expireSession } from '../src/checkout-sessions/expire.ts'
import { lapseSessions } from '../src/checkout-sessions/lapse.ts'
import { renderSession } from '../src/checkout-sessions/render.ts'
import { moveSession, type Session } from '../src/checkout-sessions/session.ts'
import { findOverdue, LAPSE_BATCH_MAX, writeExpiry, writeLapses } from '../src/checkout-sessions/store.ts'
import { confirmIntent } from '../src/payment-intents/confirm.ts'
import type { Intent } from '../src/payment-intents/intent.ts'
import { renderPaymentIntent } from '../src/payment-intents/render.ts'
import { makeCharge, makeIntent, makeSession, T0 } from './make.ts'
import {
  claimOf,
  confirmation,
  eventsOf,
  openWorld,
  readKey,
  readSession,
  saveCharge,
  saveCustomer,
  saveIntent,
  saveSession,
  typesOf,
} from './world.ts'

const HOUR_MS = 3_600_000

const world = await openWorld()
beforeEach(async () => {
  world.nowMs = T0
  // Ends the sessions that other tests left.
  while ((await lapseSessions({ ...world, clock: () => T0 + 100 * HOUR_MS })).full);
})
afterAll(() => world.stop())

async function saveOpen(fields: Partial<Session> = {}, intent: Partial<Intent> = {}) {
  const saved = await saveIntent(world, makeIntent('requires_payment_method', intent))
  return saveSession(world, makeSession(saved, 'open', fields))
}

const lapse = () => lapseSessions(world)

describe('the sweep', () => {
  test('expires overdue sessions, and writes an event with each session after its end [§2.5, §6.2]', async () => {
    const customerId = await saveCustomer(world)
    const session = await saveOpen({ metadata: { order: '42' } }, { customerId })
    world.nowMs = session.expiresAtMs
    expect(await lapse()).toEqual({ lapsed: 1, full: false })
    const after = { ...session, status: 'expired', revision: 1 } as Session
    expect(await readSession(world, session.id)).toEqual(after)
    const [event, ...more] = await eventsOf(world, session.id)
    expect(more).toEqual([])
    const body = event?.body as { data: { object: object } }
    expect([event?.type, body.data.object]).toEqual(['checkout.session.expired', renderSession(after)])
    // Spec 6.2: url is always null, and client_secret is absent.
    expect(CheckoutSession.parse(body.data.object)).toMatchObject({ status: 'expired', url: null })
    expect(JSON.stringify(body)).not.toContain('secret')
    const rows = await world.db.reader
      .selectFrom('events')
      .innerJoin('fanout_jobs', 'event_id', 'id')
      .select('due_at')
      .where('type', '=', 'checkout.session.expired')
      .where('customer_id', 'is not', null)
      .execute()
    expect(rows).toHaveLength(1)
    expect(rows[0]?.due_at).toBe(world.nowMs)
  })

  test('leaves sessions that are not due, that have ended, or that have a live charge', async () => {
    const early = await saveOpen({ expiresAtMs: T0 + HOUR_MS + 1 })
    const intents = await Promise.all(
      ['succeeded', 'requires_payment_method'].map((status) =>
        saveIntent(world, makeIntent(status as 'succeeded')),
      ),
    )
    const complete = await saveSession(world, makeSession(intents[0] as Intent, 'complete'))
    const expired = await saveSession(world, makeSession(intents[1] as Intent, 'expired'))
    const held = await Promise.all(
      (['submitting', 'live', 'unconfirmed'] as const).map(async (status) => {
        const session = await saveOpen()
        await saveCharge(world, makeCharge(status, { intentId: session.intentId }))
        return session
      }),
    )
    world.nowMs = T0 + HOUR_MS
    expect(await lapse()).toEqual({ lapsed: 0, full: false })
    for (const session of [early, complete, expired, ...held]) {
      expect(await readSession(world, session.id)).toEqual(session)
      expect(await typesOf(world, session.id)).toEqual([])
    }
  })

  test.each(['failed', 'abandoned', 'succeeded', 'duplicate'] as const)(
    'expires the session of a canceled intent whose charge is %s',
    async (status) => {
      const intent = await saveIntent(world, makeIntent('canceled'))
      await saveCharge(world, makeCharge(status, { intentId: intent.id }))
      await saveSession(world, makeSession(intent, 'open'))
      world.nowMs = T0 + HOUR_MS
      expect(await lapse()).toEqual({ lapsed: 1, full: false })
    },
  )

  test('takes a bounded batch and says that more are left', async () => {
    for (let n = 0; n < LAPSE_BATCH_MAX + 2; n += 1) await saveOpen({ expiresAtMs: T0 - n })
    expect(await lapse()).toEqual({ lapsed: LAPSE_BATCH_MAX, full: true })
    expect(await lapse()).toEqual({ lapsed: 2, full: false })
  })

  test('of two workers ends each session once', async () => {
    const sessions = await Promise.all(Array.from({ length: 20 }, () => saveOpen({ expiresAtMs: T0 })))
    const reports = await Promise.all(Array.from({ length: 6 }, lapse))
    expect(reports.reduce((sum, { lapsed }) => sum + lapsed, 0)).toBe(20)
    for (const { id } of sessions) expect(await typesOf(world, id)).toEqual(['checkout.session.expired'])
  })

  test('writes nothing for a session that has changed since it was read', async () => {
    const session = await saveOpen({ expiresAtMs: T0 })
    const { found: overdue } = await findOverdue(world.db.reader, { untilMs: T0, after: null }, T0)
    await expireSession(world, claimOf(), session.id)
    const changes = overdue.map((read) => moveSession(read, 'lapse', T0))
    expect(await writeLapses(world.db.writer, changes, T0)).toBe(0)
    expect(await typesOf(world, session.id)).toEqual([])
  })
})

describe('an expiry', () => {
  test('notices a confirm through the session, which increments the session’s revision', async () => {
    const session = await saveOpen()
    const confirmer = { session: session.id, render: renderPaymentIntent }
    const confirmed = await confirmIntent(world, claimOf(), session.intentId, confirmation(), confirmer)
    expect(confirmed.status).toBe(200)
    expect(await readSession(world, session.id)).toEqual({ ...session, revision: 1 })
  })

  test('does not notice a confirm that opened nothing or was the merchant’s own', async () => {
    const session = await saveOpen()
    const other = await saveOpen()
    const stranger = { session: other.id, render: renderPaymentIntent }
    const foreign = confirmIntent(world, claimOf(), session.intentId, confirmation(), stranger)
    await expect(foreign).rejects.toMatchObject({ code: 'session_not_open' })
    await confirmIntent(world, claimOf(), session.intentId, confirmation())
    expect(await readSession(world, session.id)).toEqual(session)
    expect(await readSession(world, other.id)).toEqual(other)
  })

  test('that was planned before a payer’s charge is not written, even when that charge is not seen', async () => {
    const session = await saveOpen()
    const opened = { ...session, revision: session.revision + 1 }
    const answer = { status: 200, body: '{}', shouldRetry: null }
    const claim = claimOf()
    const change = moveSession(opened, 'expire', T0)
    expect(await writeExpiry(world.db.writer, claim, change, answer, T0)).toBe(false)
    expect(await readKey(world, claim)).toBeUndefined()
    expect(await readSession(world, session.id)).toEqual(session)
  })
})
