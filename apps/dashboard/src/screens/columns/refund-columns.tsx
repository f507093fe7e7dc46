import type { StaffRefund } from '@merchant-payments/contract'
import { Money } from '../../ui/money.tsx'
import { ObjectLink } from '../../ui/object-link.tsx'
import { Status } from '../../ui/status.tsx'
import type { Column } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'
import { wordOf } from '../../ui/words.ts'
import { i18n } from '../../i18n.ts'
import { Confirmed } from './confirmed.tsx'
import { zoneName } from '../../zone.ts'

const railWords = ({ rail_code: code, rail_message: message }: StaffRefund) =>
  [code, message].filter((word) => word !== null).join(' · ')

/** Shown below refunds and returns. docs/decisions/0040. */
export const aboutAccepted = i18n.t(
  'Accepted: the rail has the request, and may still refuse it. Until it says how the payout ended, there is a next check. If it refuses, the money can be paid back again. If it has paid, the checks end, and a refund’s status stays Pending. The operator’s statement says whether the money arrived.',
)

export const refundColumns: readonly Column<StaffRefund>[] = [
  { head: i18n.t('Created, {zone}', { zone: zoneName }), cell: ({ created }) => <Time at={created} /> },
  {
    head: i18n.t('Refund'),
    cell: ({ id, payment_intent: payment }) => <ObjectLink id={id} payment={payment} />,
  },
  {
    head: i18n.t('Amount'),
    isFigure: true,
    cell: ({ amount, currency }) => <Money amount={amount} currency={currency} />,
  },
  { head: i18n.t('Status'), cell: ({ status }) => <Status of={status} /> },
  { head: i18n.t('Instruction'), cell: ({ instruction }) => <Status of={instruction} /> },
  {
    head: i18n.t('In the statement'),
    cell: ({ confirmed }) => <Confirmed of={confirmed} />,
  },
  { head: i18n.t('Tries'), isFigure: true, cell: ({ tries }) => tries },
  { head: i18n.t('Rail'), cell: ({ destination_details: { type } }) => type },
  { head: i18n.t('The rail said'), cell: railWords },
  {
    head: i18n.t('Failure'),
    cell: ({ failure_reason: failure }) => (failure === null ? null : wordOf(failure)),
  },
  { head: i18n.t('Next check'), cell: ({ next_look_at: at }) => <Time at={at} /> },
  { head: i18n.t('Merchant'), cell: ({ merchant }) => merchant },
]
