import type { QueryOutcome } from '../rails/port.ts'
import type { Charge } from './charge.ts'

const paid: QueryOutcome = { kind: 'succeeded', railTxnId: null, amountMinor: null, currency: null }
const refused: QueryOutcome = {
  kind: 'failed',
  decline: { code: 'declined', actor: 'rail', railCode: null, railMessage: null },
}

/**
 * What an operator ruled, in place of the rail's answer. Null where the charge cannot come to it any more: a charge that
 * has failed, by this ruling or before it, is watched for a late success like any other.
 */
export function ruled({ ruling, status }: Charge): QueryOutcome | null {
  if (ruling === 'succeeded') return paid
  const ended = status === 'failed' || status === 'abandoned'
  return ruling === 'failed' && !ended ? refused : null
}
