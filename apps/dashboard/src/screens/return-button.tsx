import { Trans } from '@lingui/react'
import { i18n } from '../i18n.ts'
import { ChangeButton } from '../ui/change-button.tsx'

interface ReturnButtonProps {
  /** A duplicate charge that is proven and not returned. */
  readonly id: string
  /** A number must be named for a payer of a redirect rail, and for an erased one. */
  readonly isPayerKnown: boolean
  /** Null if the screen does not show it. */
  readonly number: string | null
}

export const ReturnButton = ({ id, isPayerKnown, number }: ReturnButtonProps) => (
  <ChangeButton
    change="returnCharge"
    id={id}
    action={i18n.t('Return to payer')}
    isGrave
    fields={
      isPayerKnown
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
        <p>{isPayerKnown ? <ToPayer number={number} /> : aboutNamed}</p>
        <p>
          {i18n.t(
            'The payment stays paid, and the merchant gets no event. A return cannot be withdrawn once the rail has accepted it.',
          )}
        </p>
      </>
    }
  />
)

const aboutNamed = i18n.t(
  'The whole charge goes back over its rail. Another staff member must approve the number first.',
)

const ToPayer = ({ number }: Pick<ReturnButtonProps, 'number'>) =>
  number === null ? (
    i18n.t('The whole charge goes back to the number that paid it.')
  ) : (
    <Trans
      id="The whole charge goes back over its rail to <0>{number}</0>."
      values={{ number }}
      components={{ 0: <code /> }}
    />
  )
