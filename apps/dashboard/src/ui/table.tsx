import { type ReactNode, useEffect, useRef } from 'react'
import { i18n } from '../i18n.ts'

export interface Column<Row> {
  /** Empty for the column of actions. */
  readonly head: string
  readonly cell: (row: Row) => ReactNode
  /** Aligns the digits of numbers. */
  readonly isFigure?: boolean
}

const classOf = <Row,>({ head, isFigure }: Column<Row>) => {
  if (isFigure) return 'figure'
  return head === '' ? 'acts' : undefined
}

interface TableProps<Row> {
  readonly caption: string
  readonly columns: readonly Column<Row>[]
  readonly rows: readonly Row[]
  readonly keyOf: (row: Row) => string
  readonly empty: string
  /** Shows a box before each row. */
  readonly selection?: Selection | undefined
}

/** The keys of the selected rows. */
interface Selection {
  readonly keys: ReadonlySet<string>
  readonly select: (keys: ReadonlySet<string>) => void
}

/**
 * A table wider than its place scrolls inside it, and shows an edge where it goes on; the column of actions stays
 * visible. On a phone, rows are cards.
 */
export function Table<Row>({ caption, columns, rows, keyOf, empty, selection }: TableProps<Row>) {
  if (rows.length === 0) return <p className="empty">{empty}</p>
  return (
    <Scrolled caption={caption}>
      <Rows caption={caption} columns={columns} rows={rows} keyOf={keyOf} selection={selection} />
    </Scrolled>
  )
}

/** Marks the sides on which more of the table is out of sight. */
function Scrolled({ caption, children }: { readonly caption: string; readonly children: ReactNode }) {
  const place = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const { current: area } = place
    if (area === null) return undefined
    const mark = () => {
      const hidden = area.scrollWidth - area.clientWidth
      area.toggleAttribute('data-before', area.scrollLeft > 1)
      area.toggleAttribute('data-after', area.scrollLeft < hidden - 1)
    }
    mark()
    area.addEventListener('scroll', mark, { passive: true })
    const sizes = new ResizeObserver(mark)
    for (const element of [area, ...area.children]) sizes.observe(element)
    return () => {
      area.removeEventListener('scroll', mark)
      sizes.disconnect()
    }
  }, [])
  return (
    <div ref={place} className="table" role="region" aria-label={caption} tabIndex={0}>
      {children}
    </div>
  )
}

function Rows<Row>({ caption, columns, rows, keyOf, selection }: Omit<TableProps<Row>, 'empty'>) {
  const keys = rows.map(keyOf)
  return (
    <table>
      <caption className="unseen">{caption}</caption>
      <thead>
        <tr>
          {selection && (
            <th scope="col" className="box">
              <BoxOfAll keys={keys} selection={selection} />
            </th>
          )}
          {columns.map((column) => (
            <th key={column.head} scope="col" className={classOf(column)}>
              {column.head === '' ? <span className="unseen">{i18n.t('Actions')}</span> : column.head}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={keyOf(row)}>
            {selection && (
              <td className="box" data-head={i18n.t('Select')}>
                <Box of={keyOf(row)} selection={selection} />
              </td>
            )}
            {columns.map((column) => (
              <td key={column.head} className={classOf(column)} data-head={column.head}>
                <div>{column.cell(row)}</div>
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function BoxOfAll({
  keys,
  selection: { keys: chosen, select },
}: {
  keys: readonly string[]
  selection: Selection
}) {
  const isAll = keys.every((key) => chosen.has(key))
  return (
    <input
      type="checkbox"
      aria-label={i18n.t('Select all rows')}
      checked={isAll}
      onChange={() => select(new Set(isAll ? [] : keys))}
    />
  )
}

function Box({ of: key, selection: { keys: chosen, select } }: { of: string; selection: Selection }) {
  const toggle = () => {
    const next = new Set(chosen)
    if (!next.delete(key)) next.add(key)
    select(next)
  }
  return (
    <input
      type="checkbox"
      aria-label={i18n.t('Select {id}', { id: key })}
      checked={chosen.has(key)}
      onChange={toggle}
    />
  )
}
