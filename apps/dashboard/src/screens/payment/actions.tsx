import type { Currency, StaffIntentDetail } from '@merchant-payments/contract'
import { isPayerNumber } from '../../payer-number.ts'
import { ChangeButton } from '../../ui/change-button.tsx'
import { i18n } from '../../i18n.ts'

/** The actions that the payment's state allows. */
export function PaymentActions({ intent }: { intent: StaffIntentDetail }) {
  const isOpen = intent.status === 'requires_payment_method' || intent.status === 'processing'
  const isUnproven = intent.charges.some(({ status, unproven }) => status === 'succeeded' && unproven)
  const left = intent.status === 'succeeded' && !isUnproven ? intent.amount - intent.refund_reserved : 0
  return (
    <>
      {isOpen && <Cancel id={intent.id} />}
      {left > 0 && <Refund intent={intent} left={left} />}
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

const units: Readonly<Record<string, string>> = {
  XAF: 'XAF',
  EUR: i18n.t('EUR cents'),
} satisfies Record<Currency, string>

const unitOf = (currency: Currency): string =>
  units[currency] ?? i18n.t('minor units of {currency}', { currency })

function Refund({ intent: { id, currency, charges }, left }: { intent: StaffIntentDetail; left: number }) {
  const paid = charges.find(({ status }) => status === 'succeeded')
  const isKnown = isPayerNumber(paid?.payer_msisdn)
  const isPaidTwice = charges.some(({ status, returned }) => status === 'duplicate' && !returned)
  return (
    <ChangeButton
      change="refundPayment"
      id={id}
      action={i18n.t('Refund payment')}
      isGrave
      fields={[
        {
          name: 'amount',
          label: i18n.t('Amount in {unit}', { unit: unitOf(currency) }),
          pattern: '[1-9]\\d{0,7}',
          hint: i18n.t('From 1 to {left}', { left: String(left) }),
          fill: { label: i18n.t('All that is left: {left}', { left: String(left) }), value: String(left) },
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
