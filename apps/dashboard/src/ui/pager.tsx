import { Link } from '@tanstack/react-router'
import { MANY_ROWS, ROWS, type Search } from '../search.ts'
import { i18n } from '../i18n.ts'

interface PagerProps {
  readonly search: Search
  readonly ids: readonly string[]
  readonly hasMore: boolean
}

/** Links to the pages before and after the present one. New rows do not shift them. */
export function Pager({ search: { starting_after, ending_before, ...filters }, ids, hasMore }: PagerProps) {
  const isBack = ending_before !== undefined
  const first = ids[0]
  const last = ids.at(-1)
  const before = (starting_after !== undefined || (isBack && hasMore)) && first
  const after = (isBack || hasMore) && last
  const isOldestFirst = filters.order !== undefined
  const { rows, ...ofAllSizes } = filters
  if (!before && !after && starting_after === undefined && !isBack && rows === undefined) return null
  return (
    <nav className="pager" aria-label={i18n.t('Pages')}>
      <Link to="." search={rows === undefined ? { ...ofAllSizes, rows: MANY_ROWS } : ofAllSizes}>
        {i18n.t('{count} rows a page', { count: rows === undefined ? MANY_ROWS : ROWS })}
      </Link>
      {(starting_after ?? ending_before) && (
        <Link to="." search={filters}>
          {isOldestFirst ? i18n.t('Oldest') : i18n.t('Newest')}
        </Link>
      )}
      {before && (
        <Link to="." search={{ ...filters, ending_before: before }}>
          {isOldestFirst ? i18n.t('← Older') : i18n.t('← Newer')}
        </Link>
      )}
      {after && (
        <Link to="." search={{ ...filters, starting_after: after }}>
          {isOldestFirst ? i18n.t('Newer →') : i18n.t('Older →')}
        </Link>
      )}
    </nav>
  )
}
