import type { QueryOutcome } from '../rails/port.ts'
import type { Charge } from '../charges/charge.ts'
import { isEnded } from '../charges/ladder.ts'
import { isOtherMoney } from '../rails/reported.ts'

const paid: QueryOutcome = { kind: 'succeeded', railTxnId: null, amountMinor: null, currency: null }
const refused: QueryOutcome = {
  kind: 'failed',
  decline: { code: 'declined', actor: 'rail', railCode: null, railMessage: null },
}

/** Null if the ruling can no longer apply: a failed charge is watched for a late success like any other. */
export function ruled(charge: Charge): QueryOutcome | null {
  if (charge.ruling === 'succeeded') return paid
  return charge.ruling === 'failed' && !isEnded(charge) ? refused : null
}

/** An answer of the rail that confirms a ruling of success stays, because it proves the ruling. */
export function underRuling(charge: Charge, outcome: QueryOutcome): QueryOutcome {
  const ruling = ruled(charge)
  if (ruling === null) return outcome
  const isBorneOut =
    ruling.kind === 'succeeded' && outcome.kind === 'succeeded' && !isOtherMoney(charge, outcome)
  return isBorneOut ? outcome : ruling
}
