import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { reaches, useMember } from '../member.tsx'
import { useRead } from '../queries.ts'
import { inAddress, MANY_ROWS, queryOf, ROWS, type Search, type SearchName } from '../search.ts'
import { ownZone, zoneOf } from '../zone.ts'
import type { Answer, Item, ListName } from '../wire/operations.ts'
import { ColumnsChoice, useHiddenColumns } from './columns-choice.tsx'
import { type Field, Filters } from './filters.tsx'
import { Loaded } from './loaded.tsx'
import { Page } from './page.tsx'
import { Pager } from './pager.tsx'
import { type Column, Table } from './table.tsx'
import { TotalsLine, type TotalsName } from './totals.tsx'
import { Views } from './views.tsx'
import { i18n } from '../i18n.ts'

const REFRESH_MS = 15_000
const OLDEST = 'oldest'

/** The API answers these lists as a whole. */
const whole: ReadonlySet<ListName> = new Set(['merchantClients', 'rails'])

interface ListScreenProps<Name extends ListName> {
  readonly title: string
  readonly about?: ReactNode
  readonly name: Name
  readonly fields: readonly Field[]
  readonly columns: readonly Column<Item<Name>>[]
  /** The text of a list without rows. */
  readonly empty: string
  readonly actions?: ReactNode
  /** Changes of the selected rows. Without it, no row can be selected. */
  readonly ofSelected?: (rows: readonly Item<Name>[]) => ReactNode
  /** The refresh interval while somebody uses the page. */
  readonly everyMs?: number
  /** The read that counts the list and sums its amounts. */
  readonly totals?: TotalsName
}

/** A list whose filters and page are in the URL. */
export function ListScreen<Name extends ListName>({
  title,
  about,
  name,
  fields,
  columns,
  empty,
  actions,
  ofSelected,
  everyMs = REFRESH_MS,
  totals,
}: ListScreenProps<Name>) {
  const { role } = useMember()
  const [keys, select] = useState<ReadonlySet<string>>(new Set())
  const { given, filters, zone, order, query, ofPager, change, clear } = useAddress(name, fields)
  const list = useRead(name, { query }, { everyMs, isPaged: true })
  const { hidden, toggle } = useHiddenColumns(name)
  const heads = columns.map(({ head }) => head).filter((head) => head !== '')
  return (
    <Page title={title} about={about} actions={actions}>
      {fields.length > 0 && <Filters fields={fields} search={given} onChange={change} onClear={clear} />}
      <div className="list-tools">
        {!whole.has(name) && <Views search={{ ...filters, ...zone }} />}
        {!whole.has(name) && <OrderLink search={{ ...filters, ...zone }} order={order.order} />}
        <ColumnsChoice heads={heads} hidden={hidden} toggle={toggle} />
      </div>
      {totals && <TotalsLine name={totals} query={queryOf({ ...filters, ...zone })} />}
      <div aria-busy={list.isPlaceholderData}>
        <Loaded of={list}>
          {(answer: Answer<Name>) => {
            const { data, has_more: hasMore } = answer as { data: readonly Item<Name>[]; has_more: boolean }
            const chosen = data.filter(({ id }) => keys.has(id))
            return (
              <>
                {ofSelected && chosen.length > 0 && (
                  <div className="selected" role="group" aria-label={i18n.t('Selected rows')}>
                    <span>{i18n.t('{count} selected', { count: chosen.length })}</span>
                    {ofSelected(chosen)}
                  </div>
                )}
                <Table
                  caption={title}
                  columns={columns.filter(({ head }) => head === '' || !hidden.has(head))}
                  rows={data}
                  keyOf={({ id }) => id}
                  empty={empty}
                  selection={ofSelected && reaches(role, 'operator') ? { keys, select } : undefined}
                />
                <Pager search={ofPager} ids={data.map(({ id }) => id)} hasMore={hasMore} />
              </>
            )
          }}
        </Loaded>
      </div>
    </Page>
  )
}

/** The filters and the page in the address, and the query that they mean. */
function useAddress(name: ListName, fields: readonly Field[]) {
  const given: Search = useSearch({ strict: false })
  const navigate = useNavigate()
  const go = (search: Search) => void navigate({ to: '.', search })
  const { starting_after, ending_before, rows } = given
  const cursor = { starting_after, ending_before }
  const size = rows === MANY_ROWS ? { rows } : {}
  const order: Pick<Search, 'order'> = given.order === OLDEST && !whole.has(name) ? { order: OLDEST } : {}
  const filters = Object.fromEntries(fields.map((field) => [field.name, given[field.name]])) as Search
  const zone = filters.from === undefined && filters.until === undefined ? {} : inAddress(zoneOf(given.zone))
  const query = {
    ...queryOf({ ...filters, ...zone, ...order, ...(whole.has(name) ? {} : cursor) }),
    limit: whole.has(name) ? undefined : (size.rows ?? ROWS),
  }
  const change = (filter: SearchName, value: string | undefined) => {
    const isFirstBound = value !== undefined && (filter === 'from' || filter === 'until')
    const hasBound = filters.from !== undefined || filters.until !== undefined
    go({ ...filters, ...order, ...(isFirstBound && !hasBound ? inAddress(ownZone) : zone), [filter]: value })
  }
  const ofPager = { ...filters, ...order, ...zone, ...size, ...cursor }
  return { given, filters, zone, order, query, ofPager, change, clear: () => go({}) }
}

/** The list's first page in the other order. An index serves both; none serves an order by amount. */
const OrderLink = ({ search, order }: { readonly search: Search; readonly order?: string | undefined }) => (
  <Link to="." search={order === undefined ? { ...search, order: OLDEST } : search}>
    {order === undefined ? i18n.t('Oldest first') : i18n.t('Newest first')}
  </Link>
)
