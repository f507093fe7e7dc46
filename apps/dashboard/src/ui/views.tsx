import type { SavedView } from '@merchant-payments/contract'
import { Link, useLocation } from '@tanstack/react-router'
import { useMember } from '../member.tsx'
import { useRead } from '../queries.ts'
import { readAddress, type Search, writeAddress } from '../search.ts'
import { ChangeButton } from './change-button.tsx'
import { i18n } from '../i18n.ts'

interface ViewsProps {
  /** The filters that would be saved. */
  readonly search: Search
}

/** The saved views of a list, and a way to save its filters. */
export function Views({ search }: ViewsProps) {
  const { pathname } = useLocation()
  const list = pathname.slice(1)
  const { data, error } = useRead('savedViews')
  const views = (data?.data ?? []).filter((view) => view.list === list)
  const text = writeAddress(search).slice(1)
  const isUnread = data === undefined && error !== null
  if (views.length === 0 && text === '' && !isUnread) return null
  return (
    <details className="views">
      <summary>{i18n.t('Views')}</summary>
      <ul>
        {views.map((view) => (
          <li key={view.id}>
            <ViewLine view={view} />
          </li>
        ))}
      </ul>
      {isUnread && (
        <p className="quiet" role="status">
          {i18n.t('The views could not be read: {reason}', { reason: error.message })}
        </p>
      )}
      {data?.has_more === true && <p className="quiet">{i18n.t('Older shared views are not shown.')}</p>}
      {text !== '' && (
        <ChangeButton
          change="saveView"
          id=""
          subject={text}
          values={{ list, search: text }}
          action={i18n.t('Save as a view')}
          choice={{ name: 'shared', label: i18n.t('Who gets it?'), options: ['no', 'yes'] }}
          fields={[
            {
              name: 'name',
              label: i18n.t('Name'),
              hint: i18n.t('At most 60 characters'),
              isRequired: true,
              isText: true,
            },
          ]}
          consequence={<p>{i18n.t('Saves the filters of this list under a name.')}</p>}
        />
      )}
    </details>
  )
}

function ViewLine({ view: { id, name, search, shared, owner } }: { view: SavedView }) {
  const { subject } = useMember()
  return (
    <>
      <Link to="." search={readAddress(search)}>
        {name}
      </Link>{' '}
      {shared && <span className="quiet">{owner.name}</span>}{' '}
      {owner.subject === subject && (
        <ChangeButton
          change="removeView"
          id={id}
          subject={name}
          action={i18n.t('Remove')}
          consequence={<p>{i18n.t('Nobody has this view any more.')}</p>}
        />
      )}
    </>
  )
}
