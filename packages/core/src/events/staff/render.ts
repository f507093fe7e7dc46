import type { EventType, StaffFanout } from '@merchant-payments/contract'
import type { FanoutState } from '@merchant-payments/db'
import { secondsOrNull } from '../../base/clock.ts'
import { createdOf, idOf } from '../../base/ids.ts'

export interface FanoutRow {
  readonly merchant_id: string
  readonly id: string
  readonly type: EventType
  readonly fanout_state: FanoutState
  readonly failures: number
  readonly due_at: number | null
  readonly request_id: string | null
}

export function renderFanout(row: FanoutRow): StaffFanout {
  const id = idOf('evt', row.id)
  return {
    id,
    object: 'fanout',
    merchant: row.merchant_id,
    type: row.type,
    state: row.fanout_state,
    failures: row.failures,
    next_pass_at: secondsOrNull(row.due_at),
    request_id: row.request_id,
    created: createdOf(id),
  }
}
