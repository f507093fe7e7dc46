import type { AuditEntry } from '@merchant-payments/contract'
import { Id } from '../../ui/id.tsx'
import { ObjectLink } from '../../ui/object-link.tsx'
import type { Column } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'
import { deedOf } from '../../ui/words.ts'

const textOf = (facts: AuditEntry['before']): string =>
  Object.entries(facts)
    // The hash serves database queries for a number and means nothing to readers.
    .filter(([name]) => name !== 'number_hash')
    .map(([name, value]) => `${name}: ${value ?? '–'}`)
    .join(', ')

export const auditColumns: readonly Column<AuditEntry>[] = [
  { head: 'When, UTC', cell: ({ created }) => <Time at={created} /> },
  {
    head: 'Who',
    cell: ({ actor }) => (
      <>
        <span title={actor.subject}>{actor.name}</span> <span className="quiet">{actor.role}</span>
      </>
    ),
  },
  { head: 'Did', cell: (entry) => <span title={entry.action}>{deedOf(entry)}</span> },
  { head: 'To', cell: ({ target }) => <ObjectLink id={target} /> },
  { head: 'Why', cell: ({ reason }) => <span className="prose">{reason}</span> },
  { head: 'Before', cell: ({ before }) => <span className="quiet prose">{textOf(before)}</span> },
  { head: 'After', cell: ({ after }) => <span className="quiet prose">{textOf(after)}</span> },
  { head: 'Merchant', cell: ({ merchant }) => merchant },
  { head: 'Request', cell: ({ request_id: id }) => <Id of={id} /> },
]
