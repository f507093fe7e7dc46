import { amounts, days } from '../ui/filters.tsx'
import { ListScreen } from '../ui/list-screen.tsx'
import { Money } from '../ui/money.tsx'
import { ObjectLink } from '../ui/object-link.tsx'
import { Status } from '../ui/status.tsx'
import { Time } from '../ui/time.tsx'
import { wordOf } from '../ui/words.ts'
import { chargeStatuses, declines, intentStatuses } from '../wire/words.ts'
import { i18n } from '../i18n.ts'
import { zoneName } from '../zone.ts'

export const PaymentsScreen = () => (
  <ListScreen
    title={i18n.t('Payments')}
    name="payments"
    totals="paymentTotals"
    empty={i18n.t('No matching payments. Remove a filter, or choose a longer time.')}
    fields={[
      { name: 'status', label: i18n.t('Status'), choices: intentStatuses },
      { name: 'rail', label: i18n.t('Rail'), choices: 'rails' },
      { name: 'merchant', label: i18n.t('Merchant'), choices: 'merchants' },
      { name: 'payer', label: i18n.t('Payer’s number'), placeholder: '670 00 00 01', isNumber: true },
      { name: 'customer', label: i18n.t('Customer'), placeholder: 'cus_…', isRare: true },
      { name: 'metadata', label: i18n.t('Metadata'), placeholder: 'order=A-1042', isRare: true },
      ...amounts,
      { name: 'charge', label: i18n.t('Last charge'), choices: chargeStatuses, isRare: true },
      { name: 'decline', label: i18n.t('Last error'), choices: declines, isRare: true },
      ...days,
    ]}
    columns={[
      { head: i18n.t('Created, {zone}', { zone: zoneName }), cell: ({ created }) => <Time at={created} /> },
      { head: i18n.t('Payment'), cell: ({ id }) => <ObjectLink id={id} /> },
      {
        head: i18n.t('Amount'),
        isFigure: true,
        cell: ({ amount, currency }) => <Money amount={amount} currency={currency} />,
      },
      { head: i18n.t('Status'), cell: ({ status }) => <Status of={status} /> },
      { head: i18n.t('Rail'), cell: ({ charge }) => charge?.rail ?? <span className="quiet">–</span> },
      { head: i18n.t('Last charge'), cell: ({ charge }) => charge && <Status of={charge.status} /> },
      {
        head: i18n.t('Last error'),
        cell: ({ last_payment_error: error }) => error && wordOf(error.code),
      },
      { head: i18n.t('Merchant'), cell: ({ merchant }) => merchant },
      { head: i18n.t('Description'), cell: ({ description }) => description },
    ]}
  />
)
