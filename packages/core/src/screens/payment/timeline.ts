import type { StaffIntentDetail } from '@merchant-payments/contract'
import { secondsOf } from '../../base/clock.ts'
import { type Id, idOf, mintedAtMs } from '../../base/ids.ts'
import type { ChargeRow } from '../../charges/staff/render.ts'
import type { DeliveryRow } from '../../deliveries/staff/render.ts'

type Entry = StaffIntentDetail['timeline'][number]
type Payment = Pick<
  StaffIntentDetail,
  'id' | 'cancellation_reason' | 'refunds' | 'returns' | 'events' | 'audit_entries'
>

interface Step extends Omit<Entry, 'at'> {
  readonly atMs: number
}

/** The records of a payment, each list newest first. Rows have times in ms. */
export interface Records {
  readonly payment: Payment
  readonly canceledAtMs: number | null
  readonly charges: readonly ChargeRow[]
  readonly deliveries: readonly DeliveryRow[]
}

const nothingMore = { about: null, attempts: null, state: null, detail: null } as const

/** Oldest first, to the millisecond. Within one millisecond, causes come first. */
export function timelineOf({ payment, canceledAtMs, charges, deliveries }: Records): Entry[] {
  const steps: Step[] = [
    { ...nothingMore, atMs: mintedMs(payment.id), source: 'intent', id: payment.id, text: 'created' },
    ...charges.toReversed().flatMap(ofCharge),
    ...payment.refunds.toReversed().map(ofRefund),
    ...payment.returns.toReversed().map(ofReturn),
    ...payment.audit_entries.toReversed().map(ofAuditEntry),
    ...(canceledAtMs === null ? [] : [ofCancellation(payment, canceledAtMs)]),
    ...payment.events.toReversed().map(ofEvent),
    ...deliveries.toReversed().flatMap(ofDelivery),
  ]
  return steps
    .toSorted((a, b) => a.atMs - b.atMs)
    .map(({ atMs, ...entry }) => ({ at: secondsOf(atMs), ...entry }))
}

const mintedMs = (id: string): number => mintedAtMs(id as Id<'pi' | 're' | 'rt' | 'evt' | 'au'>)

function ofCharge(charge: ChargeRow): Step[] {
  const { rail: about, rail_code, rail_message } = charge
  const id = idOf('ch', charge.id)
  const words = [rail_code, rail_message].filter((word) => word !== null).join(': ')
  const step = (
    atMs: number | null,
    source: Step['source'],
    text: string,
    detail: string | null = null,
  ): Step[] => (atMs === null ? [] : [{ ...nothingMore, atMs, source, id, text, about, detail }])
  return [
    ...step(charge.opened_at, 'charge', 'opened'),
    ...step(charge.acknowledged_at, 'rail', 'accepted_request', charge.reference),
    ...step(charge.last_query_at, 'rail', 'asked'),
    ...step(charge.settled_at, 'charge', charge.status, charge.rail_txn_id ?? (words === '' ? null : words)),
  ]
}

/** Its state is that of the instruction, while the refund itself is pending. */
const ofRefund = ({ id, status, instruction, rail_message }: Payment['refunds'][number]): Step => ({
  ...nothingMore,
  atMs: mintedMs(id),
  source: 'refund',
  id,
  text: 'created',
  state: status === 'pending' ? instruction : status,
  detail: rail_message,
})

const ofReturn = ({ id, charge, instruction, rail_message }: Payment['returns'][number]): Step => ({
  ...nothingMore,
  atMs: mintedMs(id),
  source: 'return',
  id,
  text: 'created',
  about: charge,
  state: instruction,
  detail: rail_message,
})

const ofCancellation = ({ id, cancellation_reason }: Payment, atMs: number): Step => ({
  ...nothingMore,
  atMs,
  source: 'intent',
  id,
  text: 'canceled',
  detail: cancellation_reason,
})

const ofEvent = ({ id, type, state }: Payment['events'][number]): Step => ({
  ...nothingMore,
  atMs: mintedMs(id),
  source: 'event',
  id,
  text: type,
  about: state === 'done' ? null : state,
})

function ofDelivery(delivery: DeliveryRow): Step[] {
  const { created_at: createdAt, endpoint_id: about, finished_at: finishedAt, status } = delivery
  const step = { ...nothingMore, source: 'delivery', id: idOf('wd', delivery.id), about } as const
  const begun: Step = { ...step, atMs: createdAt, text: 'created' }
  if (finishedAt === null) return [begun]
  const attempts = delivery.attempts + delivery.attempts_before
  return [begun, { ...step, atMs: finishedAt, text: status, attempts }]
}

const ofAuditEntry = ({ id, action, actor }: Payment['audit_entries'][number]): Step => ({
  ...nothingMore,
  atMs: mintedMs(id),
  source: 'staff',
  id,
  text: action,
  detail: actor.name,
})
