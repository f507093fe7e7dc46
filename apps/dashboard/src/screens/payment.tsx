import type { StaffIntentDetail } from '@merchant-payments/contract'
import { useParams } from '@tanstack/react-router'
import { useRead } from '../queries.ts'
import { CopiedId } from '../ui/copied-id.tsx'
import { Facts } from '../ui/facts.tsx'
import { LoadedPage } from '../ui/loaded.tsx'
import { Metadata } from '../ui/metadata.tsx'
import { Money } from '../ui/money.tsx'
import { ObjectLink } from '../ui/object-link.tsx'
import { Page } from '../ui/page.tsx'
import { Status } from '../ui/status.tsx'
import { Time } from '../ui/time.tsx'
import { wordOf } from '../ui/words.ts'
import { PaymentActions } from './payment/actions.tsx'
import { Charges } from './payment/charges.tsx'
import { Approvals, Deliveries, Events, Refunds, Returns, StaffChanges } from './payment/related.tsx'
import { PaymentTimeline } from './payment/timeline.tsx'
import { i18n } from '../i18n.ts'

const REFRESH_MS = 5_000

export function PaymentScreen() {
  const { id } = useParams({ from: '/payments/$id' })
  const payment = useRead('payment', { id }, { everyMs: REFRESH_MS })
  return (
    <LoadedPage title={i18n.t('Payment')} of={payment}>
      {(intent) => <Payment key={intent.id} intent={intent} />}
    </LoadedPage>
  )
}

function Payment({ intent }: { intent: StaffIntentDetail }) {
  const { id, amount, currency, status, charges, refunds, returns, deliveries, events } = intent
  const { approval_requests: requests, audit_entries } = intent
  return (
    <Page
      title={i18n.t('Payment {id}', { id })}
      heading={
        <>
          <span className="unseen">{i18n.t('Payment of')} </span>
          <Money amount={amount} currency={currency} /> <Status of={status} />
        </>
      }
      about={<CopiedId id={id} />}
      actions={<PaymentActions intent={intent} />}
    >
      <div className="columns">
        <PaymentTimeline entries={intent.timeline} paymentId={id} />
        <aside aria-label={i18n.t('About this payment')}>
          <About intent={intent} />
          <Metadata of={intent.metadata} />
        </aside>
      </div>
      {requests.length > 0 && <Approvals requests={requests} />}
      <Charges charges={charges} />
      <Refunds refunds={refunds} isCut={intent.has_more_refunds} />
      {returns.length > 0 && <Returns returns={returns} />}
      <Deliveries deliveries={deliveries} />
      <Events events={events} />
      <StaffChanges entries={audit_entries} />
    </Page>
  )
}

const sum = (rows: readonly { amount: number }[]) => rows.reduce((total, { amount }) => total + amount, 0)

/**
 * What payers paid. A duplicate is returned as a whole, so it adds nothing to what can be refunded. Nor does a charge
 * that succeeded by a ruling alone.
 */
function sumsOf({ amount, status, refund_reserved: reserved, charges }: StaffIntentDetail) {
  const paid = status === 'succeeded' ? amount : 0
  const duplicates = charges.filter((charge) => charge.status === 'duplicate')
  const twice = sum(duplicates)
  const returned = sum(duplicates.filter((charge) => charge.returned))
  const unproven = sum(charges.filter((charge) => charge.status === 'succeeded' && charge.unproven))
  return { received: paid + twice, twice, returned, refundable: Math.max(0, paid - reserved - unproven) }
}

function About({ intent }: { intent: StaffIntentDetail }) {
  const { currency, refund_reserved: reserved, last_payment_error: fault } = intent
  const { received, twice, returned, refundable } = sumsOf(intent)
  return (
    <Facts
      of={[
        [i18n.t('Merchant'), intent.merchant],
        [i18n.t('Created'), <Time key="t" at={intent.created} />],
        [i18n.t('Rails offered'), intent.payment_method_types.join(', ')],
        [i18n.t('Description'), intent.description],
        [i18n.t('Customer'), intent.customer && <ObjectLink id={intent.customer} />],
        [i18n.t('Invoice'), intent.invoice && <ObjectLink id={intent.invoice} />],
        [i18n.t('Checkout session'), intent.checkout_session && <code>{intent.checkout_session}</code>],
        [i18n.t('Received'), <Money key="m" amount={received} currency={currency} />],
        [i18n.t('Of it paid twice'), twice > 0 && <Money key="m" amount={twice} currency={currency} />],
        [
          i18n.t('Returned or promised'),
          returned > 0 && <Money key="m" amount={returned} currency={currency} />,
        ],
        [
          i18n.t('Refunded or promised'),
          reserved > 0 && <Money key="m" amount={reserved} currency={currency} />,
        ],
        [
          i18n.t('Can be refunded'),
          received > 0 && <Money key="m" amount={refundable} currency={currency} />,
        ],
        [
          i18n.t('Last decline'),
          fault && `${wordOf(fault.code)}${fault.message ? `: ${fault.message}` : ''}`,
        ],
        [i18n.t('Canceled'), intent.canceled_at && <Time key="t" at={intent.canceled_at} />],
        [i18n.t('Cancellation reason'), intent.cancellation_reason && wordOf(intent.cancellation_reason)],
        [i18n.t('Mode'), intent.livemode ? i18n.t('Live') : i18n.t('Test')],
      ]}
    />
  )
}
