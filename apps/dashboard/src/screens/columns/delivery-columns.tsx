import type { StaffDelivery } from '@merchant-payments/contract'
import { ObjectLink } from '../../ui/object-link.tsx'
import { Status } from '../../ui/status.tsx'
import type { Column } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'
import { i18n } from '../../i18n.ts'
import { zoneName } from '../../zone.ts'

export const deliveryColumns: readonly Column<StaffDelivery>[] = [
  { head: i18n.t('Created, {zone}', { zone: zoneName }), cell: ({ created }) => <Time at={created} /> },
  { head: i18n.t('Delivery'), cell: ({ id }) => <ObjectLink id={id} /> },
  {
    head: i18n.t('Event'),
    cell: ({ event_type: type }) => type ?? <span className="quiet">{i18n.t('dropped')}</span>,
  },
  {
    head: i18n.t('Status'),
    cell: ({ status, dead_lettered: isDead }) => <Status of={isDead ? 'dead_lettered' : status} />,
  },
  {
    head: i18n.t('Attempts'),
    isFigure: true,
    cell: ({ attempts, attempts_before: before }) => attempts + before,
  },
  { head: i18n.t('Next attempt'), cell: ({ next_attempt_at: at }) => <Time at={at} /> },
  { head: i18n.t('Finished'), cell: ({ finished_at: at }) => <Time at={at} /> },
  { head: i18n.t('Endpoint'), cell: ({ endpoint }) => endpoint },
  { head: i18n.t('Merchant'), cell: ({ merchant }) => merchant },
]
