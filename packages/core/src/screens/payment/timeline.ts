import type { StaffIntentDetail } from '@merchant-payments/contract'

type Entry = StaffIntentDetail['timeline'][number]
type Payment = Omit<StaffIntentDetail, 'timeline'>

/** Oldest first. Within one second, causes come first. */
export const timelineOf = (payment: Payment): Entry[] =>
  [
    { at: payment.created, source: 'intent' as const, id: payment.id, text: 'created', detail: null },
    ...payment.charges.flatMap(ofCharge),
    ...payment.refunds.map(ofRefund),
    ...payment.returns.map(ofReturn),
    ...(payment.canceled_at === null ? [] : [ofCancellation(payment, payment.canceled_at)]),
    ...payment.events.map(ofEvent),
    ...payment.deliveries.flatMap(ofDelivery),
    ...payment.audit_entries.map(ofAuditEntry),
  ].toSorted((a, b) => a.at - b.at)

function ofCharge(charge: Payment['charges'][number]): Entry[] {
  const { id, rail, rail_code, rail_message } = charge
  const words = [rail_code, rail_message].filter((word) => word !== null).join(': ')
  const entry = (at: number | null, source: Entry['source'], text: string, detail: string | null): Entry[] =>
    at === null ? [] : [{ at, source, id, text, detail }]
  return [
    ...entry(charge.created, 'charge', `opened on ${rail}`, null),
    ...entry(charge.acknowledged_at, 'rail', 'has the charge', charge.reference),
    ...entry(charge.last_query_at, 'rail', 'last asked', null),
    ...entry(charge.settled_at, 'charge', charge.status, charge.rail_txn_id ?? (words === '' ? null : words)),
  ]
}

const ofRefund = (refund: Payment['refunds'][number]): Entry => ({
  at: refund.created,
  source: 'refund',
  id: refund.id,
  text: `${refund.status}, ${refund.instruction}`,
  detail: refund.rail_message,
})

const ofReturn = ({ id, created, charge, instruction, rail_message }: Payment['returns'][number]): Entry => ({
  at: created,
  source: 'return',
  id,
  text: `of ${charge}: ${instruction}`,
  detail: rail_message,
})

const ofCancellation = ({ id, cancellation_reason }: Payment, at: number): Entry => ({
  at,
  source: 'intent',
  id,
  text: 'canceled',
  detail: cancellation_reason,
})

const ofEvent = ({ id, created, type, state }: Payment['events'][number]): Entry => ({
  at: created,
  source: 'event',
  id,
  text: type,
  detail: state === 'done' ? null : `fan-out ${state}`,
})

function ofDelivery(delivery: Payment['deliveries'][number]): Entry[] {
  const { id, created, endpoint, finished_at: finishedAt, status } = delivery
  const begun: Entry = { at: created, source: 'delivery', id, text: `for ${endpoint}`, detail: null }
  if (finishedAt === null) return [begun]
  const attempts = delivery.attempts + delivery.attempts_before
  return [
    begun,
    {
      at: finishedAt,
      source: 'delivery',
      id,
      text: status,
      detail: attempts === 1 ? '1 attempt' : `${attempts} attempts`,
    },
  ]
}

const ofAuditEntry = ({ id, created, action, actor }: Payment['audit_entries'][number]): Entry => ({
  at: created,
  source: 'staff',
  id,
  text: action,
  detail: actor.name,
})
