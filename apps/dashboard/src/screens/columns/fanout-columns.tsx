import type { StaffFanout } from '@merchant-payments/contract'
import { ChangeButton } from '../../ui/change-button.tsx'
import { ObjectLink } from '../../ui/object-link.tsx'
import { Status } from '../../ui/status.tsx'
import type { Column } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'

export const fanoutColumns: readonly Column<StaffFanout>[] = [
  { head: 'Created, UTC', cell: ({ created }) => <Time at={created} /> },
  { head: 'Event', cell: ({ id }) => <ObjectLink id={id} /> },
  { head: 'Type', cell: ({ type }) => type },
  { head: 'Fan-out', cell: ({ state }) => <Status of={state} /> },
  { head: 'Failures', isFigure: true, cell: ({ failures }) => failures },
  {
    head: 'Next pass',
    cell: ({ state, next_pass_at: at }) => <Time at={state === 'pending' ? at : null} />,
  },
  { head: 'Merchant', cell: ({ merchant }) => merchant },
  {
    head: '',
    cell: ({ id, state }) =>
      state === 'failed' && (
        <ChangeButton
          change="retryFanout"
          id={id}
          action="Retry fan-out"
          consequence={<p>The worker fans the event out to each endpoint again. Correct the cause first.</p>}
        />
      ),
  },
]
