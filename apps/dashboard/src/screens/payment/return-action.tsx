import type { StaffCharge } from '@merchant-payments/contract'
import { isPayerNumber } from '../../payer-number.ts'
import { ReturnButton } from '../return-button.tsx'

/** Returns a duplicate charge, unless a return exists that was not refused. */
export function ReturnAction({ charge }: { charge: StaffCharge }) {
  const { id, payer_msisdn: number } = charge
  if (charge.status !== 'duplicate' || charge.unproven || charge.returned) return null
  return (
    <div className="row-actions">
      <ReturnButton id={id} isPayerKnown={isPayerNumber(number)} number={number} />
    </div>
  )
}
