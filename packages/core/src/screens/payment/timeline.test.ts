import { expect, test } from 'vitest'
import { secondsOf } from '../../base/clock.ts'
import { idOf, uuidFloorOf } from '../../base/ids.ts'
import type { ChargeRow } from '../../charges/staff/render.ts'
import type { DeliveryRow } from '../../deliveries/staff/render.ts'
import { type Records, timelineOf } from './timeline.ts'

const T0 = 1_800_000_000_000

const charge = (openedAt: number, settledAt: number, status: ChargeRow['status']) =>
  ({
    id: uuidFloorOf(openedAt),
    rail: 'mtn_momo_cm',
    status,
    rail_txn_id: null,
    rail_code: null,
    rail_message: null,
    opened_at: openedAt,
    acknowledged_at: openedAt,
    last_query_at: null,
    settled_at: settledAt,
  }) as ChargeRow

type Told = Records['payment']['events'][number]

const event = (atMs: number, type: Told['type']): Told => ({
  id: idOf('evt', uuidFloorOf(atMs)),
  object: 'fanout',
  merchant: 'acme',
  type,
  state: 'done',
  failures: 0,
  next_pass_at: null,
  request_id: null,
  created: secondsOf(atMs),
})

const delivery = (createdAt: number, finishedAt: number) =>
  ({
    id: uuidFloorOf(createdAt),
    endpoint_id: 'main',
    status: 'succeeded',
    attempts: 1,
    attempts_before: 0,
    created_at: createdAt,
    finished_at: finishedAt,
  }) as DeliveryRow

/** Each list is newest first, as the store reads it. */
function toldOf(charges: readonly ChargeRow[], events: Told[], deliveries: readonly DeliveryRow[]): string[] {
  const id = idOf('pi', uuidFloorOf(T0))
  const payment = { id, cancellation_reason: null, refunds: [], returns: [], events, audit_entries: [] }
  const entries = timelineOf({ payment, canceledAtMs: null, charges, deliveries })
  expect(new Set(entries.map(({ at }) => at))).toEqual(new Set([secondsOf(T0)]))
  return entries.map(({ source, text }) => `${source} ${text}`)
}

test('two charges within one second are shown in the order in which they happened', () => {
  const told = toldOf(
    [charge(T0 + 300, T0 + 400, 'succeeded'), charge(T0 + 10, T0 + 100, 'failed')],
    [event(T0 + 400, 'payment_intent.succeeded'), event(T0 + 100, 'payment_intent.payment_failed')],
    [delivery(T0 + 410, T0 + 450), delivery(T0 + 110, T0 + 150)],
  )
  expect(told).toEqual([
    'intent created',
    'charge opened',
    'rail accepted_request',
    'charge failed',
    'event payment_intent.payment_failed',
    'delivery created',
    'delivery succeeded',
    'charge opened',
    'rail accepted_request',
    'charge succeeded',
    'event payment_intent.succeeded',
    'delivery created',
    'delivery succeeded',
  ])
})

test('of one millisecond, causes come first, and older records before newer ones', () => {
  const told = toldOf(
    [charge(T0, T0, 'succeeded'), charge(T0, T0, 'failed')],
    [event(T0, 'payment_intent.succeeded'), event(T0, 'payment_intent.payment_failed')],
    [delivery(T0, T0)],
  )
  expect(told).toEqual([
    'intent created',
    'charge opened',
    'rail accepted_request',
    'charge failed',
    'charge opened',
    'rail accepted_request',
    'charge succeeded',
    'event payment_intent.payment_failed',
    'event payment_intent.succeeded',
    'delivery created',
    'delivery succeeded',
  ])
})
