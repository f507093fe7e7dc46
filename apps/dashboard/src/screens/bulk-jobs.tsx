import type { BulkJob } from '@merchant-payments/contract'
import { bulkStatuses } from '@merchant-payments/contract/words'
import { ChangeButton } from '../ui/change-button.tsx'
import { days } from '../ui/filters.tsx'
import { ListScreen } from '../ui/list-screen.tsx'
import { Status } from '../ui/status.tsx'
import { Time } from '../ui/time.tsx'
import { actionOf } from '../ui/words.ts'
import { i18n } from '../i18n.ts'
import { zoneName } from '../zone.ts'

/** Short, so that the progress is seen. */
const REFRESH_MS = 2_000

export const BulkJobsScreen = () => (
  <ListScreen
    title={i18n.t('Bulk actions')}
    about={i18n.t('The same change of many objects. The worker makes it in batches.')}
    name="bulkJobs"
    everyMs={REFRESH_MS}
    empty={i18n.t('No bulk action yet. Select rows of a list to start one.')}
    fields={[{ name: 'status', label: i18n.t('Status'), choices: bulkStatuses }, ...days]}
    columns={[
      { head: i18n.t('Started, {zone}', { zone: zoneName }), cell: ({ created }) => <Time at={created} /> },
      { head: i18n.t('Action'), cell: ({ kind }) => actionOf(kind) },
      { head: i18n.t('Of'), cell: scopeOf },
      { head: i18n.t('Status'), cell: ({ status }) => <Status of={status} /> },
      { head: i18n.t('Done'), cell: (job) => <Progress job={job} /> },
      { head: i18n.t('Left alone'), isFigure: true, cell: ({ skipped }) => skipped },
      { head: i18n.t('By'), cell: ({ created_by: { name } }) => name },
      { head: i18n.t('Reason'), cell: ({ reason }) => <span className="prose">{reason}</span> },
      { head: i18n.t('Ended'), cell: ({ finished_at: at }) => <Time at={at} /> },
      {
        head: '',
        cell: ({ id, status }) =>
          status === 'running' && (
            <ChangeButton
              change="cancelBulkJob"
              id={id}
              action={i18n.t('End')}
              consequence={<p>{i18n.t('The batch under way is finished first. What was done stays.')}</p>}
            />
          ),
      },
    ]}
  />
)

const scopeOf = ({ merchant, endpoint, objects }: BulkJob) =>
  endpoint === null ? i18n.t('{count} selected', { count: objects }) : `${merchant} / ${endpoint}`

function Progress({ job: { objects, done, skipped } }: { job: BulkJob }) {
  const visited = done + skipped
  return (
    <span className="progress">
      <progress max={Math.max(objects, visited, 1)} value={visited} aria-label={i18n.t('Done')} />{' '}
      {i18n.t('{done} of {objects}', { done, objects })}
    </span>
  )
}
