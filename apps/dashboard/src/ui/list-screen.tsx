import { useNavigate, useSearch } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useRead } from '../queries.ts'
import { inAddress, MANY_ROWS, queryOf, ROWS, type Search, type SearchName } from '../search.ts'
import { ownZone, zoneOf } from '../zone.ts'
import type { Answer, Item, ListName } from '../wire/operations.ts'
import { type Field, Filters } from './filters.tsx'
import { Loaded } from './loaded.tsx'
import { Page } from './page.tsx'
import { Pager } from './pager.tsx'
import { type Column, Table } from './table.tsx'

const REFRESH_MS = 15_000

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
}

/** A list whose filters and page are in the URL. */
export function ListScreen<Name extends ListName>({
  title,
  about,
  name,
  fields,
  columns,
  empty,
}: ListScreenProps<Name>) {
  const given: Search = useSearch({ strict: false })
  const navigate = useNavigate()
  const go = (search: Search) => void navigate({ to: '.', search })
  const { starting_after, ending_before, rows } = given
  const cursor = { starting_after, ending_before }
  const size = rows === MANY_ROWS ? { rows } : {}
  const filters = Object.fromEntries(fields.map(({ name }) => [name, given[name]])) as Search
  const zone = filters.from === undefined && filters.until === undefined ? {} : inAddress(zoneOf(given.zone))
  const query = {
    ...queryOf({ ...filters, ...zone, ...(whole.has(name) ? {} : cursor) }),
    limit: whole.has(name) ? undefined : (size.rows ?? ROWS),
  }
  const list = useRead(name, { query }, { everyMs: REFRESH_MS, isPaged: true })

  const change = (filter: SearchName, value: string | undefined) => {
    const isFirstBound = value !== undefined && (filter === 'from' || filter === 'until')
    const hasBound = filters.from !== undefined || filters.until !== undefined
    go({ ...filters, ...(isFirstBound && !hasBound ? inAddress(ownZone) : zone), [filter]: value })
  }
  return (
    <Page title={title} about={about}>
      {fields.length > 0 && (
        <Filters fields={fields} search={given} onChange={change} onClear={() => go({})} />
      )}
      <div aria-busy={list.isPlaceholderData}>
        <Loaded of={list}>
          {(answer: Answer<Name>) => {
            const { data, has_more: hasMore } = answer as { data: readonly Item<Name>[]; has_more: boolean }
            return (
              <>
                <Table caption={title} columns={columns} rows={data} keyOf={({ id }) => id} empty={empty} />
                <Pager
                  search={{ ...filters, ...zone, ...size, ...cursor }}
                  ids={data.map(({ id }) => id)}
                  hasMore={hasMore}
                />
              </>
            )
          }}
        </Loaded>
      </div>
    </Page>
  )
}
