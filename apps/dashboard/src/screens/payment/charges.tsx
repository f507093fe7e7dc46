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

/** The rail's own code, message and transaction id. */
const railWords = ({ rail_code: code, rail_message: message, rail_txn_id: transaction }: StaffCharge) =>
  [code, message, transaction].filter((word) => word !== null).join(' · ')

const columns: readonly Column<StaffCharge>[] = [
  { head: 'Opened, UTC', cell: ({ created }) => <Time at={created} /> },
  { head: 'Charge', cell: ({ id }) => <Id of={id} /> },
  { head: 'Rail', cell: ({ rail }) => rail },
  {
    head: 'Status',
    cell: ({ status, unproven }) => (
      <>
        <Status of={status} />
        {unproven && <span className="quiet"> by a ruling alone</span>}
      </>
    ),
  },
  {
    head: 'Amount',
    isFigure: true,
    cell: ({ amount, currency }) => <Money amount={amount} currency={currency} />,
  },
  { head: 'Payer', cell: ({ payer_msisdn: number }) => number ?? <span className="quiet">–</span> },
  { head: 'Reference at the rail', cell: ({ reference }) => <Id of={reference} /> },
  {
    head: 'The rail said',
    cell: (charge) => (
      <>
        {railWords(charge)} <Reported charge={charge} />
      </>
    ),
  },
  { head: 'Settled', cell: ({ settled_at: at }) => <Time at={at} /> },
  { head: 'Next check', cell: ({ next_query_at: at }) => <Time at={at} /> },
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
  <Section title="Charges" count={charges.length}>
    <Table
      caption="Charges"
      columns={columns}
      rows={charges}
      keyOf={({ id }) => id}
      empty="No charges yet."
    />
  </Section>
)
