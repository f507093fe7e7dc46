import type { Currency, StaffIntentDetail } from '@merchant-payments/contract'
import { ChangeButton } from '../../ui/change-button.tsx'

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
    action="Cancel payment"
    isGrave
    consequence={
      <p>
        The merchant is told, and nobody can pay it any more. A payer who approves a charge that is already on
        their phone still pays, and the payment then succeeds.
      </p>
    }
  />
)

const unitOf: Readonly<Record<Currency, string>> = { XAF: 'XAF', EUR: 'EUR cents' }

function Refund({ intent: { id, currency, charges }, left }: { intent: StaffIntentDetail; left: number }) {
  const paid = charges.find(({ status }) => status === 'succeeded')
  const isKnown = /^\d+$/.test(paid?.payer_msisdn ?? '')
  return (
    <ChangeButton
      change="refundPayment"
      id={id}
      action="Refund payment"
      isGrave
      fields={[
        {
          name: 'amount',
          label: `Amount in ${unitOf[currency]}`,
          pattern: '[1-9]\\d{0,7}',
          hint: `All that is left: ${left}`,
        },
        {
          name: 'msisdn',
          label: 'Number that is paid',
          hint: isKnown ? `The one that paid: ${paid?.payer_msisdn}` : 'Nobody knows who paid',
          isRequired: paid !== undefined && !isKnown,
        },
      ]}
      consequence={
        <p>
          Money goes back over the rail that took it. The merchant is told, and a refund that its rail has
          taken cannot be called back. To a number that is not known to have paid, another staff member must
          approve it first.
        </p>
      }
    />
  )
}
