import type { AttentionItem } from '@merchant-payments/contract'
import { attentionAlerts, shownAttentionStatuses } from '@merchant-payments/contract/words'
import { i18n } from '../i18n.ts'
import { useMember } from '../member.tsx'
import { BulkButton } from '../ui/bulk-button.tsx'
import { ChangeButton } from '../ui/change-button.tsx'
import { FactList } from '../ui/fact-list.tsx'
import { Facts } from '../ui/facts.tsx'
import { days } from '../ui/filters.tsx'
import { ListScreen } from '../ui/list-screen.tsx'
import { ObjectLink } from '../ui/object-link.tsx'
import { Status } from '../ui/status.tsx'
import type { Column } from '../ui/table.tsx'
import { Time } from '../ui/time.tsx'
import { alertOf, wordOf } from '../ui/words.ts'
import { zoneName } from '../zone.ts'

const columns: readonly Column<AttentionItem>[] = [
  {
    head: i18n.t('Last raised, {zone}', { zone: zoneName }),
    cell: ({ last_at: at }) => <Time at={at} />,
  },
  {
    head: i18n.t('Alert'),
    cell: ({ alert }) => (
      <span className="prose" title={alert}>
        {alertOf(alert)}
      </span>
    ),
  },
  { head: i18n.t('Status'), cell: ({ status }) => <Status of={status} /> },
  {
    head: i18n.t('Assignee'),
    cell: ({ assignee }) => assignee?.name ?? <span className="quiet">–</span>,
  },
  {
    head: i18n.t('Object'),
    cell: ({ about, payment_intent: payment }) => (
      <ObjectLink id={about} {...(payment !== null && { payment })} />
    ),
  },
  {
    head: i18n.t('Evidence'),
    cell: (item) => (
      <span className="prose">
        <Evidence item={item} />
      </span>
    ),
  },
  { head: i18n.t('Times'), isFigure: true, cell: ({ times }) => times },
  { head: i18n.t('First raised'), cell: ({ created }) => <Time at={created} /> },
  { head: i18n.t('Merchant'), cell: ({ merchant }) => merchant },
  { head: '', cell: (item) => <ItemActions item={item} /> },
]

export const AttentionScreen = () => (
  <ListScreen
    title={i18n.t('Needs attention')}
    about={i18n.t(
      'Alerts about an object. Take one, write what you found, and resolve it once it is handled.',
    )}
    name="attentionItems"
    empty={i18n.t('Nothing needs attention.')}
    fields={[
      { name: 'status', label: i18n.t('Status'), choices: shownAttentionStatuses },
      { name: 'alert', label: i18n.t('Alert'), choices: attentionAlerts, textOf: alertOf },
      { name: 'assignee', label: i18n.t('Assignee'), choices: 'colleagues' },
      { name: 'merchant', label: i18n.t('Merchant'), choices: 'merchants' },
      ...days,
    ]}
    ofSelected={(rows) => {
      const ids = rows.filter(({ status }) => status !== 'resolved').map(({ id }) => id)
      return (
        <>
          <BulkButton
            kind="attention.acknowledge"
            ids={rows.filter(({ status }) => status === 'open').map(({ id }) => id)}
            action={i18n.t('Take all')}
            consequence={i18n.t('You become their assignee. The reason is a note for the next shift.')}
          />
          <BulkButton
            kind="attention.resolve"
            ids={ids}
            action={i18n.t('Resolve all')}
            consequence={i18n.t(
              'Ends the items and changes nothing of their objects. Something new opens them again.',
            )}
          />
        </>
      )
    }}
    columns={columns}
  />
)

/** The object's own ids are in other columns. */
const shownElsewhere = new Set(['charge', 'refund', 'charge_return', 'delivery', 'merchant'])

/** A code that the rail no longer gives is a fact; the present one stands before the facts. */
const newsIn = (facts: AttentionItem['facts'], railCode: string | null) =>
  Object.fromEntries(
    Object.entries(facts).filter(
      ([name, value]) => !shownElsewhere.has(name) && value !== null && value !== railCode,
    ),
  )

const Evidence = ({ item: { facts, rail_code: code, rail_message: message } }: { item: AttentionItem }) => (
  <>
    {code && <code className="whole">{code}</code>} {message}{' '}
    <span className="quiet">
      <FactList facts={newsIn(facts, code)} nameOf={wordOf} />
    </span>
  </>
)

function ItemActions({ item }: { item: AttentionItem }) {
  const { id, status, assignee, alert, times, version } = item
  const { subject } = useMember()
  if (status === 'resolved') return null
  return (
    <div className="row-actions">
      {assignee?.subject !== subject && (
        <ChangeButton
          change="acknowledgeItem"
          id={id}
          action={i18n.t('Take')}
          seen={{ seen_assignee: assignee?.subject ?? '' }}
          consequence={
            <>
              {assignee && <Facts of={[[i18n.t('Assignee'), assignee.name]]} />}
              <p>{i18n.t('You become its assignee. The reason is a note for the next shift.')}</p>
            </>
          }
        />
      )}
      <ChangeButton
        change="resolveItem"
        id={id}
        action={i18n.t('Resolve')}
        seen={{ seen_version: version }}
        consequence={
          <>
            <p className="prose">
              {alertOf(alert)} ({i18n.t('Times')}: {times}) <Evidence item={item} />
            </p>
            <p>{i18n.t('Ends the item and changes nothing of its object. Something new opens it again.')}</p>
          </>
        }
      />
    </div>
  )
}
