import type { StaffIntentDetail } from '@merchant-payments/contract'

type Entry = StaffIntentDetail['timeline'][number]
type Payment = Omit<StaffIntentDetail, 'timeline'>

const nothingMore = { about: null, attempts: null, detail: null } as const

/** Oldest first. Within one second, causes come first. */
export const timelineOf = (payment: Payment): Entry[] =>
  [
    { ...nothingMore, at: payment.created, source: 'intent' as const, id: payment.id, text: 'created' },
    ...payment.charges.flatMap(ofCharge),
    ...payment.refunds.map(ofRefund),
    ...payment.returns.map(ofReturn),
    ...(payment.canceled_at === null ? [] : [ofCancellation(payment, payment.canceled_at)]),
    ...payment.events.map(ofEvent),
    ...payment.deliveries.flatMap(ofDelivery),
    ...payment.audit_entries.map(ofAuditEntry),
  ].toSorted((a, b) => a.at - b.at)

function ofCharge(charge: Payment['charges'][number]): Entry[] {
  const { id, rail: about, rail_code, rail_message } = charge
  const words = [rail_code, rail_message].filter((word) => word !== null).join(': ')
  const entry = (
    at: number | null,
    source: Entry['source'],
    text: string,
    detail: string | null = null,
  ): Entry[] => (at === null ? [] : [{ at, source, id, text, about, attempts: null, detail }])
  return [
    ...entry(charge.created, 'charge', 'opened'),
    ...entry(charge.acknowledged_at, 'rail', 'accepted_request', charge.reference),
    ...entry(charge.last_query_at, 'rail', 'asked'),
    ...entry(charge.settled_at, 'charge', charge.status, charge.rail_txn_id ?? (words === '' ? null : words)),
  ]
}

/** The state of the instruction, while the refund itself is pending. */
const ofRefund = ({ id, created, status, instruction, rail_message }: Payment['refunds'][number]): Entry => ({
  ...nothingMore,
  at: created,
  source: 'refund',
  id,
  text: status === 'pending' ? instruction : status,
  detail: rail_message,
})

const ofReturn = ({ id, created, charge, instruction, rail_message }: Payment['returns'][number]): Entry => ({
  ...nothingMore,
  at: created,
  source: 'return',
  id,
  text: instruction,
  about: charge,
  detail: rail_message,
})

const ofCancellation = ({ id, cancellation_reason }: Payment, at: number): Entry => ({
  ...nothingMore,
  at,
  source: 'intent',
  id,
  text: 'canceled',
  detail: cancellation_reason,
})

const ofEvent = ({ id, created, type, state }: Payment['events'][number]): Entry => ({
  ...nothingMore,
  at: created,
  source: 'event',
  id,
  text: type,
  about: state === 'done' ? null : state,
})

function ofDelivery(delivery: Payment['deliveries'][number]): Entry[] {
  const { id, created, endpoint: about, finished_at: finishedAt, status } = delivery
  const entry = { ...nothingMore, source: 'delivery', id, about } as const
  const begun: Entry = { ...entry, at: created, text: 'created' }
  if (finishedAt === null) return [begun]
  const attempts = delivery.attempts + delivery.attempts_before
  return [begun, { ...entry, at: finishedAt, text: status, attempts }]
}

const ofAuditEntry = ({ id, created, action, actor }: Payment['audit_entries'][number]): Entry => ({
  ...nothingMore,
  at: created,
  source: 'staff',
  id,
  text: action,
  detail: actor.name,
})
