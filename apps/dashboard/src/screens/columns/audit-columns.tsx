import type { AuditEntry } from '@merchant-payments/contract'
import { FactList } from '../../ui/fact-list.tsx'
import { Id } from '../../ui/id.tsx'
import { ObjectLink } from '../../ui/object-link.tsx'
import type { Column } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'
import { deedOf, wordOf } from '../../ui/words.ts'
import { i18n } from '../../i18n.ts'
import { zoneName } from '../../zone.ts'

/** The hash serves database queries for a number and means nothing to readers. */
const readable = (facts: AuditEntry['before']) =>
  Object.fromEntries(Object.entries(facts).filter(([name]) => name !== 'number_hash'))

const factsOf = (facts: AuditEntry['before'], { after }: AuditEntry) => (
  <span className="quiet prose">
    <FactList facts={readable(facts)} nameOf={(name) => name} currency={after['currency'] ?? null} />
  </span>
)

export const auditColumns: readonly Column<AuditEntry>[] = [
  { head: i18n.t('When, {zone}', { zone: zoneName }), cell: ({ created }) => <Time at={created} /> },
  {
    head: i18n.t('Who'),
    cell: ({ actor }) => (
      <>
        <span title={actor.subject}>{actor.name}</span> <span className="quiet">{wordOf(actor.role)}</span>
      </>
    ),
  },
  { head: i18n.t('Did'), cell: (entry) => <span title={entry.action}>{deedOf(entry)}</span> },
  { head: i18n.t('To'), cell: ({ target }) => <ObjectLink id={target} /> },
  { head: i18n.t('Why'), cell: ({ reason }) => <span className="prose">{reason}</span> },
  { head: i18n.t('Before'), cell: (entry) => factsOf(entry.before, entry) },
  { head: i18n.t('After'), cell: (entry) => factsOf(entry.after, entry) },
  { head: i18n.t('Merchant'), cell: ({ merchant }) => merchant },
  { head: i18n.t('Request'), cell: ({ request_id: id }) => <Id of={id} /> },
]
