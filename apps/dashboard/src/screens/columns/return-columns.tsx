import type { StaffChargeReturn } from '@merchant-payments/contract'
import { Id } from '../../ui/id.tsx'
import { Money } from '../../ui/money.tsx'
import { Status } from '../../ui/status.tsx'
import type { Column } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'
import { wordOf } from '../../ui/words.ts'

const railWords = ({ rail_code: code, rail_message: message }: StaffChargeReturn) =>
  [code, message].filter((word) => word !== null).join(' · ')

export const returnColumns: readonly Column<StaffChargeReturn>[] = [
  { head: 'Created, UTC', cell: ({ created }) => <Time at={created} /> },
  { head: 'Return', cell: ({ id }) => <Id of={id} /> },
  { head: 'Charge', cell: ({ charge }) => <Id of={charge} /> },
  {
    head: 'Amount',
    isFigure: true,
    cell: ({ amount, currency }) => <Money amount={amount} currency={currency} />,
  },
  { head: 'Instruction', cell: ({ instruction }) => <Status of={instruction} /> },
  { head: 'Tries', isFigure: true, cell: ({ tries }) => tries },
  { head: 'Rail', cell: ({ rail }) => rail },
  { head: 'Reference at the rail', cell: ({ reference }) => <Id of={reference} /> },
  { head: 'The rail said', cell: railWords },
  {
    head: 'Failure',
    cell: ({ failure_reason: failure }) => (failure === null ? null : wordOf(failure)),
  },
  { head: 'Next check', cell: ({ next_look_at: at }) => <Time at={at} /> },
]
