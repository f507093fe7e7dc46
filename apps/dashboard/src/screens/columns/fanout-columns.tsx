import type { StaffFanout } from '@merchant-payments/contract'
import { ChangeButton } from '../../ui/change-button.tsx'
import { ObjectLink } from '../../ui/object-link.tsx'
import { Status } from '../../ui/status.tsx'
import type { Column } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'
import { i18n } from '../../i18n.ts'
import { zoneName } from '../../zone.ts'

export const fanoutColumns: readonly Column<StaffFanout>[] = [
  { head: i18n.t('Created, {zone}', { zone: zoneName }), cell: ({ created }) => <Time at={created} /> },
  { head: i18n.t('Event'), cell: ({ id }) => <ObjectLink id={id} /> },
  { head: i18n.t('Type'), cell: ({ type }) => type },
  { head: i18n.t('Fan-out'), cell: ({ state }) => <Status of={state} /> },
  { head: i18n.t('Failures'), isFigure: true, cell: ({ failures }) => failures },
  {
    head: i18n.t('Next pass'),
    cell: ({ state, next_pass_at: at }) => <Time at={state === 'pending' ? at : null} />,
  },
  { head: i18n.t('Merchant'), cell: ({ merchant }) => merchant },
  {
    head: '',
    cell: ({ id, state }) =>
      state === 'failed' && (
        <ChangeButton
          change="retryFanout"
          id={id}
          action={i18n.t('Retry fan-out')}
          consequence={
            <p>{i18n.t('The worker fans the event out to each endpoint again. Correct the cause first.')}</p>
          }
        />
      ),
  },
]
