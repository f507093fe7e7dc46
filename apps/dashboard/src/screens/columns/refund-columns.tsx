import type { StaffRefund } from '@merchant-payments/contract'
import { Money } from '../../ui/money.tsx'
import { ObjectLink } from '../../ui/object-link.tsx'
import { Status } from '../../ui/status.tsx'
import type { Column } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'
import { wordOf } from '../../ui/words.ts'

const railWords = ({ rail_code: code, rail_message: message }: StaffRefund) =>
  [code, message].filter((word) => word !== null).join(' · ')

export const refundColumns: readonly Column<StaffRefund>[] = [
  { head: 'Created, UTC', cell: ({ created }) => <Time at={created} /> },
  { head: 'Refund', cell: ({ id, payment_intent: payment }) => <ObjectLink id={id} payment={payment} /> },
  {
    head: 'Amount',
    isFigure: true,
    cell: ({ amount, currency }) => <Money amount={amount} currency={currency} />,
  },
  { head: 'Status', cell: ({ status }) => <Status of={status} /> },
  { head: 'Instruction', cell: ({ instruction }) => <Status of={instruction} /> },
  { head: 'Tries', isFigure: true, cell: ({ tries }) => tries },
  { head: 'Rail', cell: ({ destination_details: { type } }) => type },
  { head: 'The rail said', cell: railWords },
  {
    head: 'Failure',
    cell: ({ failure_reason: failure }) => (failure === null ? null : wordOf(failure)),
  },
  { head: 'Next check', cell: ({ next_look_at: at }) => <Time at={at} /> },
  { head: 'Merchant', cell: ({ merchant }) => merchant },
]
