import type { StaffRefund } from '@merchant-payments/contract'
import { secondsOrNull } from '../base/clock.ts'
import { idOf } from '../base/ids.ts'
import type { Confirmed } from './confirmation-store.ts'

export const renderConfirmation = ({
  confirmed_in: statement,
  confirmed_by: transaction,
  confirmed_at: at,
}: Confirmed): StaffRefund['confirmed'] =>
  statement === null ? null : { statement: idOf('st', statement), transaction, at: secondsOrNull(at) }
