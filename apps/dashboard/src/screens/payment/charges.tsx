import type { StaffCharge } from '@merchant-payments/contract'
import { Id } from '../../ui/id.tsx'
import { Money } from '../../ui/money.tsx'
import { Section } from '../../ui/section.tsx'
import { Status } from '../../ui/status.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'
import { ChargeActions } from '../charge-actions.tsx'
import { Reported } from './reported.tsx'
import { ReturnAction } from './return-action.tsx'
import { i18n } from '../../i18n.ts'
import { counted } from './related.tsx'
import { zoneName } from '../../zone.ts'

/** The rail's own code, message and transaction id. */
const railWords = ({ rail_code: code, rail_message: message, rail_txn_id: transaction }: StaffCharge) =>
  [code, message, transaction].filter((word) => word !== null).join(' · ')

const columns: readonly Column<StaffCharge>[] = [
  { head: i18n.t('Opened, {zone}', { zone: zoneName }), cell: ({ created }) => <Time at={created} /> },
  { head: i18n.t('Charge'), cell: ({ id }) => <Id of={id} /> },
  { head: i18n.t('Rail'), cell: ({ rail }) => rail },
  {
    head: i18n.t('Status'),
    cell: ({ status, unproven }) => (
      <>
        <Status of={status} />
        {unproven && <span className="quiet"> {i18n.t('by a ruling alone')}</span>}
      </>
    ),
  },
  {
    head: i18n.t('Amount'),
    isFigure: true,
    cell: ({ amount, currency }) => <Money amount={amount} currency={currency} />,
  },
  { head: i18n.t('Payer'), cell: ({ payer_msisdn: number }) => number ?? <span className="quiet">–</span> },
  { head: i18n.t('Reference at the rail'), cell: ({ reference }) => <Id of={reference} /> },
  {
    head: i18n.t('The rail said'),
    cell: (charge) => (
      <>
        {railWords(charge)}
        {charge.reported && ' '}
        <Reported of={charge.reported} />
      </>
    ),
  },
  { head: i18n.t('Settled'), cell: ({ settled_at: at }) => <Time at={at} /> },
  { head: i18n.t('Next check'), cell: ({ next_query_at: at }) => <Time at={at} /> },
  {
    head: '',
    cell: (charge) => (
      <>
        <ChargeActions charge={charge} />
        <ReturnAction charge={charge} />
      </>
    ),
  },
]

export const Charges = ({ charges }: { charges: readonly StaffCharge[] }) => (
  <Section title={i18n.t('Charges')} {...counted(charges)}>
    <Table
      caption={i18n.t('Charges')}
      columns={columns}
      rows={charges}
      keyOf={({ id }) => id}
      empty={i18n.t('No charges yet.')}
    />
  </Section>
)
