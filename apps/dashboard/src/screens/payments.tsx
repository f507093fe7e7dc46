import { chargeStatuses, declineCodes, intentStatuses } from '@merchant-payments/contract/words'
import { amounts, days } from '../ui/filters.tsx'
import { ListScreen } from '../ui/list-screen.tsx'
import { paymentColumns } from './columns/payment-columns.tsx'
import { i18n } from '../i18n.ts'

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
      { name: 'decline', label: i18n.t('Last error'), choices: declineCodes, isRare: true },
      ...days,
    ]}
    columns={paymentColumns}
  />
)
