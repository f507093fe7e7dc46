import type { ReactNode } from 'react'
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
}

/** A table wider than its place scrolls inside it; the column of actions stays visible. On a phone, rows are cards. */
export function Table<Row>({ caption, columns, rows, keyOf, empty }: TableProps<Row>) {
  if (rows.length === 0) return <p className="empty">{empty}</p>
  return (
    <div className="table" role="region" aria-label={caption} tabIndex={0}>
      <table>
        <caption className="unseen">{caption}</caption>
        <thead>
          <tr>
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
              {columns.map((column) => (
                <td key={column.head} className={classOf(column)} data-head={column.head}>
                  <div>{column.cell(row)}</div>
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
