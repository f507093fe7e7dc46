import type { StaffCharge } from '@merchant-payments/contract'
import { ChangeButton } from '../../ui/change-button.tsx'

/** Returns a duplicate charge, unless a return exists that was not refused. */
export function ReturnAction({ charge }: { charge: StaffCharge }) {
  if (charge.status !== 'duplicate' || charge.unproven || charge.returned) return null
  const isKnown = /^\d+$/.test(charge.payer_msisdn ?? '')
  return (
    <div className="row-actions">
      <ChangeButton
        change="returnCharge"
        id={charge.id}
        action="Return to payer"
        isGrave
        fields={
          isKnown
            ? []
            : [
                {
                  name: 'msisdn',
                  label: 'Return to',
                  hint: 'The payer is unknown',
                  isRequired: true,
                },
              ]
        }
        consequence={
          <p>
            The whole charge goes back over its rail
            {isKnown && (
              <>
                {' '}
                to <code>{charge.payer_msisdn}</code>
              </>
            )}
            . The payment stays paid, and the merchant gets no event. A return cannot be withdrawn once the
            rail has accepted it.{!isKnown && ' Another staff member must approve the number first.'}
          </p>
        }
      />
    </div>
  )
}
