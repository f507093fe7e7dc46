import { Trans } from '@lingui/react'
import type { StaffCharge } from '@merchant-payments/contract'
import { ChangeButton } from '../../ui/change-button.tsx'
import { i18n } from '../../i18n.ts'

/** Returns a duplicate charge, unless a return exists that was not refused. */
export function ReturnAction({ charge }: { charge: StaffCharge }) {
  if (charge.status !== 'duplicate' || charge.unproven || charge.returned) return null
  const isKnown = /^\d+$/.test(charge.payer_msisdn ?? '')
  return (
    <div className="row-actions">
      <ChangeButton
        change="returnCharge"
        id={charge.id}
        action={i18n.t('Return to payer')}
        isGrave
        fields={
          isKnown
            ? []
            : [
                {
                  name: 'msisdn',
                  label: i18n.t('Return to'),
                  hint: i18n.t('The payer is unknown'),
                  isRequired: true,
                },
              ]
        }
        consequence={
          <>
            <p>
              {isKnown ? (
                <Trans
                  id="The whole charge goes back over its rail to <0>{number}</0>."
                  values={{ number: charge.payer_msisdn }}
                  components={{ 0: <code /> }}
                />
              ) : (
                i18n.t(
                  'The whole charge goes back over its rail. Another staff member must approve the number first.',
                )
              )}
            </p>
            <p>
              {i18n.t(
                'The payment stays paid, and the merchant gets no event. A return cannot be withdrawn once the rail has accepted it.',
              )}
            </p>
          </>
        }
      />
    </div>
  )
}
