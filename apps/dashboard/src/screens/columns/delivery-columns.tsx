import type { StaffDelivery } from '@merchant-payments/contract'
import { ObjectLink } from '../../ui/object-link.tsx'
import { Status } from '../../ui/status.tsx'
import type { Column } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'

export const deliveryColumns: readonly Column<StaffDelivery>[] = [
  { head: 'Created, UTC', cell: ({ created }) => <Time at={created} /> },
  { head: 'Delivery', cell: ({ id }) => <ObjectLink id={id} /> },
  { head: 'Event', cell: ({ event_type: type }) => type ?? <span className="quiet">dropped</span> },
  {
    head: 'Status',
    cell: ({ status, dead_lettered: isDead }) => <Status of={isDead ? 'dead_lettered' : status} />,
  },
  { head: 'Attempts', isFigure: true, cell: ({ attempts, attempts_before: before }) => attempts + before },
  { head: 'Next attempt', cell: ({ next_attempt_at: at }) => <Time at={at} /> },
  { head: 'Finished', cell: ({ finished_at: at }) => <Time at={at} /> },
  { head: 'Endpoint', cell: ({ endpoint }) => endpoint },
  { head: 'Merchant', cell: ({ merchant }) => merchant },
]
