import type { StaffIntent } from '@merchant-payments/contract'
import { Money } from '../../ui/money.tsx'
import { ObjectLink } from '../../ui/object-link.tsx'
import { Status } from '../../ui/status.tsx'
import type { Column } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'
import { wordOf } from '../../ui/words.ts'
import { i18n } from '../../i18n.ts'
import { zoneName } from '../../zone.ts'

export const paymentColumns: readonly Column<StaffIntent>[] = [
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
]
