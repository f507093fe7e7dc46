import { chargeQueues } from '@merchant-payments/contract/words'
import { useSearch } from '@tanstack/react-router'
import type { Search } from '../search.ts'
import { BulkButton } from '../ui/bulk-button.tsx'
import { amounts, days } from '../ui/filters.tsx'
import { Id } from '../ui/id.tsx'
import { ListScreen } from '../ui/list-screen.tsx'
import { Money } from '../ui/money.tsx'
import { ObjectLink } from '../ui/object-link.tsx'
import { Status } from '../ui/status.tsx'
import { agoOf, Time } from '../ui/time.tsx'
import { ChargeActions, isQueryable } from './charge-actions.tsx'
import { Reported } from './payment/reported.tsx'
import { ReturnAction } from './payment/return-action.tsx'
import { i18n } from '../i18n.ts'
import { zoneName } from '../zone.ts'

const aboutOf: Readonly<Record<(typeof chargeQueues)[number], string>> = {
  open: i18n.t('Charges whose outcome is open.'),
  stuck: i18n.t('Charges that have waited for their rail for more than fifteen minutes.'),
  duplicate: i18n.t('Money that was collected beside another success and is not returned yet.'),
  mismatch: i18n.t(
    'Charges for which the rail reports money of another amount or currency. It settles nothing.',
  ),
}

export function ChargesScreen() {
  const { state }: Search = useSearch({ strict: false })
  const known = chargeQueues.find((one) => one === state)
  return (
    <ListScreen
      title={i18n.t('Charges')}
      about={known === undefined ? i18n.t('Each attempt to collect a payment on a rail.') : aboutOf[known]}
      name="charges"
      totals="chargeTotals"
      empty={i18n.t('No matching charges.')}
      fields={[
        { name: 'state', label: i18n.t('State'), choices: chargeQueues },
        { name: 'rail', label: i18n.t('Rail'), choices: 'rails' },
        { name: 'merchant', label: i18n.t('Merchant'), choices: 'merchants' },
        ...amounts,
        ...days,
      ]}
      ofSelected={(rows) => (
        <BulkButton
          kind="charge.query"
          ids={rows.filter(isQueryable).map(({ id }) => id)}
          action={i18n.t('Query rails now')}
          consequence={i18n.t(
            'The worker asks the rails as soon as it is allowed. The rails’ answers may change the charges.',
          )}
        />
      )}
      columns={[
        { head: i18n.t('Opened, {zone}', { zone: zoneName }), cell: ({ created }) => <Time at={created} /> },
        { head: i18n.t('Age'), cell: ({ created }) => agoOf(created) },
        { head: i18n.t('Payment'), cell: ({ payment_intent: id }) => <ObjectLink id={id} /> },
        { head: i18n.t('Charge'), cell: ({ id }) => <Id of={id} /> },
        {
          head: i18n.t('Amount'),
          isFigure: true,
          cell: ({ amount, currency }) => <Money amount={amount} currency={currency} />,
        },
        { head: i18n.t('Status'), cell: ({ status }) => <Status of={status} /> },
        { head: i18n.t('The rail reports'), cell: ({ reported }) => <Reported of={reported} /> },
        { head: i18n.t('Rail'), cell: ({ rail }) => rail },
        { head: i18n.t('Last check'), cell: ({ last_query_at: at }) => <Time at={at} /> },
        { head: i18n.t('Next check'), cell: ({ next_query_at: at }) => <Time at={at} /> },
        { head: i18n.t('Merchant'), cell: ({ merchant }) => merchant },
        {
          head: '',
          cell: (charge) => (
            <>
              <ChargeActions charge={charge} />
              <ReturnAction charge={charge} />
            </>
          ),
        },
      ]}
    />
  )
}
