import type { StaffIntentDetail } from '@merchant-payments/contract'
import { isPayerNumber } from '../../payer-number.ts'
import { amountPattern, isKnownCurrency, writtenAmount } from '../../search.ts'
import { ChangeButton } from '../../ui/change-button.tsx'
import { Facts } from '../../ui/facts.tsx'
import { Money } from '../../ui/money.tsx'
import { i18n } from '../../i18n.ts'

/** The actions that the payment's state allows. */
export function PaymentActions({ intent }: { intent: StaffIntentDetail }) {
  const isOpen = intent.status === 'requires_payment_method' || intent.status === 'processing'
  const isUnproven = intent.charges.some(({ status, unproven }) => status === 'succeeded' && unproven)
  return (
    <>
      {isOpen && <Cancel id={intent.id} />}
      {intent.status === 'succeeded' && !isUnproven && <Refund intent={intent} />}
    </>
  )
}

const Cancel = ({ id }: { id: string }) => (
  <ChangeButton
    change="cancelPayment"
    id={id}
    action={i18n.t('Cancel payment')}
    isGrave
    consequence={
      <p>
        {i18n.t(
          'The merchant gets an event, and nobody can start a new charge. A payer who approves a charge that is already on their phone still pays, and the payment then succeeds.',
        )}
      </p>
    }
  />
)

function Refund({ intent }: { intent: StaffIntentDetail }) {
  const { id, currency, charges, refund_reserved: reserved } = intent
  const left = intent.amount - reserved
  const [least, most] = [writtenAmount(1, currency), writtenAmount(left, currency)]
  const paid = charges.find(({ status }) => status === 'succeeded')
  const isKnown = isPayerNumber(paid?.payer_msisdn)
  const isPaidTwice = charges.some(({ status, returned }) => status === 'duplicate' && !returned)
  return (
    <ChangeButton
      change="refundPayment"
      id={id}
      action={i18n.t('Refund payment')}
      isGrave
      isOffered={left > 0}
      seen={{ seen_refund_reserved: String(reserved) }}
      fields={[
        {
          name: 'amount',
          label: i18n.t('Amount in {unit}', {
            unit: isKnownCurrency(currency) ? currency : i18n.t('minor units of {currency}', { currency }),
          }),
          pattern: amountPattern(currency),
          ...(isKnownCurrency(currency) && { amountIn: currency }),
          hint: i18n.t('From {least} to {left}', { least, left: most }),
          fill: { label: i18n.t('All that is left: {left}', { left: most }), value: most },
          isRequired: true,
        },
        {
          name: 'msisdn',
          label: i18n.t('Refund to'),
          ...(isKnown && { value: paid?.payer_msisdn ?? '' }),
          hint: isKnown
            ? i18n.t('The number that paid. Another number needs the approval of another staff member.')
            : i18n.t('The payer’s number is not known. Another staff member must approve the number.'),
          isRequired: true,
        },
      ]}
      consequence={
        <>
          <Facts
            of={[
              [i18n.t('Refunded or promised'), <Money key="r" amount={reserved} currency={currency} />],
              [i18n.t('Can be refunded'), <Money key="l" amount={left} currency={currency} />],
            ]}
          />
          {isPaidTwice && (
            <p className="note">
              {i18n.t(
                'This payment was paid twice. A refund gives back the payment itself. To give back the second charge, use “Return to payer” beside it.',
              )}
            </p>
          )}
          <p>
            {i18n.t(
              'The money goes back over the rail that took it. The merchant gets an event. A refund cannot be withdrawn once its rail has accepted it.',
            )}
          </p>
        </>
      }
    />
  )
}
