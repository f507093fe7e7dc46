import type { Event, EventType, StaffDelivery, StaffDeliveryDetail } from '@merchant-payments/contract'
import type { Schema } from '@merchant-payments/db'
import type { Selectable } from 'kysely'
import { secondsOf, secondsOrNull } from '../../base/clock.ts'
import { idOf } from '../../base/ids.ts'

export const deliveryColumns = [
  'merchant_id',
  'event_id',
  'endpoint_id',
  'id',
  'status',
  'attempts',
  'attempts_before',
  'created_at',
  'finished_at',
] as const

export interface DeliveryRow
  extends Pick<Selectable<Schema['deliveries']>, (typeof deliveryColumns)[number]> {
  readonly event_type: EventType | null
  readonly due_at: number | null
  readonly dead_at: number | null
}

export interface AttemptRow {
  readonly number: number
  readonly started_at: number
  readonly duration_ms: number
  readonly status_code: number | null
  readonly error: string | null
  readonly response_excerpt: string | null
}

export const renderDelivery = (row: DeliveryRow): StaffDelivery => ({
  id: idOf('wd', row.id),
  object: 'delivery',
  merchant: row.merchant_id,
  event: idOf('evt', row.event_id),
  event_type: row.event_type,
  endpoint: row.endpoint_id,
  status: row.status,
  attempts: row.attempts,
  attempts_before: row.attempts_before,
  next_attempt_at: row.dead_at === null ? secondsOrNull(row.due_at) : null,
  dead_lettered: row.dead_at !== null,
  created: secondsOf(row.created_at),
  finished_at: secondsOrNull(row.finished_at),
})

export const renderDeliveryDetail = (
  row: DeliveryRow,
  body: string | null,
  attempts: readonly AttemptRow[],
): StaffDeliveryDetail => ({
  ...renderDelivery(row),
  event_body: body === null ? null : (JSON.parse(body) as Event),
  event_text: body,
  attempt_log: attempts.map((attempt) => ({ ...attempt, started_at: secondsOf(attempt.started_at) })),
})
