import type { StaffChargeReturn } from '@merchant-payments/contract'
import { Id } from '../../ui/id.tsx'
import { Money } from '../../ui/money.tsx'
import { Status } from '../../ui/status.tsx'
import type { Column } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'
import { wordOf } from '../../ui/words.ts'
import { i18n } from '../../i18n.ts'
import { Confirmed } from './confirmed.tsx'
import { zoneName } from '../../zone.ts'

const railWords = ({ rail_code: code, rail_message: message }: StaffChargeReturn) =>
  [code, message].filter((word) => word !== null).join(' · ')

export const returnColumns: readonly Column<StaffChargeReturn>[] = [
  { head: i18n.t('Created, {zone}', { zone: zoneName }), cell: ({ created }) => <Time at={created} /> },
  { head: i18n.t('Return'), cell: ({ id }) => <Id of={id} /> },
  { head: i18n.t('Charge'), cell: ({ charge }) => <Id of={charge} /> },
  {
    head: i18n.t('Amount'),
    isFigure: true,
    cell: ({ amount, currency }) => <Money amount={amount} currency={currency} />,
  },
  { head: i18n.t('Instruction'), cell: ({ instruction }) => <Status of={instruction} /> },
  {
    head: i18n.t('In the statement'),
    cell: ({ confirmed }) => <Confirmed of={confirmed} />,
  },
  { head: i18n.t('Tries'), isFigure: true, cell: ({ tries }) => tries },
  { head: i18n.t('Rail'), cell: ({ rail }) => rail },
  { head: i18n.t('Reference at the rail'), cell: ({ reference }) => <Id of={reference} /> },
  { head: i18n.t('The rail said'), cell: railWords },
  {
    head: i18n.t('Failure'),
    cell: ({ failure_reason: failure }) => (failure === null ? null : wordOf(failure)),
  },
  { head: i18n.t('Next check'), cell: ({ next_look_at: at }) => <Time at={at} /> },
]
