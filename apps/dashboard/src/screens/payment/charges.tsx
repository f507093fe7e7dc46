import type { StaffCharge, StaffChargeReturn } from '@merchant-payments/contract'
import { Id } from '../../ui/id.tsx'
import { Money } from '../../ui/money.tsx'
import { Section } from '../../ui/section.tsx'
import { Status } from '../../ui/status.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'
import { ChargeActions } from '../charge-actions.tsx'
import { ReturnAction } from './return-action.tsx'

/** The rail's own code, message and transaction id. */
const railWords = ({ rail_code: code, rail_message: message, rail_txn_id: transaction }: StaffCharge) =>
  [code, message, transaction].filter((word) => word !== null).join(' · ')

const columnsWith = (returns: readonly StaffChargeReturn[]): readonly Column<StaffCharge>[] => [
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
  { head: 'The rail said', cell: railWords },
  { head: 'Settled', cell: ({ settled_at: at }) => <Time at={at} /> },
  { head: 'Next query', cell: ({ next_query_at: at }) => <Time at={at} /> },
  {
    head: '',
    cell: (charge) => (
      <>
        <ChargeActions charge={charge} />
        <ReturnAction charge={charge} returns={returns} />
      </>
    ),
  },
]

interface ChargesProps {
  readonly charges: readonly StaffCharge[]
  readonly returns: readonly StaffChargeReturn[]
}

export const Charges = ({ charges, returns }: ChargesProps) => (
  <Section title="Charges" count={charges.length}>
    <Table
      caption="Charges"
      columns={columnsWith(returns)}
      rows={charges}
      keyOf={({ id }) => id}
      empty="No charges yet."
    />
  </Section>
)
