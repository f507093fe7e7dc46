import { useState } from 'react'
import { keepPreference, readPreference } from '../preferences.ts'
import { i18n } from '../i18n.ts'

/** The heads of the columns that a person has hidden, in this browser. */
export function useHiddenColumns(list: string) {
  const name = `columns.${list}` as const
  const [hidden, setHidden] = useState(() => headsIn(readPreference(name)))
  const toggle = (head: string) => {
    const next = new Set(hidden)
    if (!next.delete(head)) next.add(head)
    setHidden(next)
    keepPreference(name, [...next].join('\n'))
  }
  return { hidden, toggle }
}

/** The column of the actions has an empty head, and nobody can hide it. */
const headsIn = (kept: string | null): ReadonlySet<string> =>
  new Set(kept?.split('\n').filter((head) => head !== ''))

interface ColumnsChoiceProps {
  readonly heads: readonly string[]
  readonly hidden: ReadonlySet<string>
  readonly toggle: (head: string) => void
}

/** The boxes exist only while they are shown, because their names are those of the filters. */
export function ColumnsChoice({ heads, hidden, toggle }: ColumnsChoiceProps) {
  const [isOpen, setOpen] = useState(false)
  return (
    <details className="views" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{i18n.t('Columns')}</summary>
      {isOpen && (
        <ul>
          {heads.map((head) => (
            <li key={head}>
              <label className="choice">
                <input type="checkbox" checked={!hidden.has(head)} onChange={() => toggle(head)} />
                {head}
              </label>
            </li>
          ))}
        </ul>
      )}
    </details>
  )
}
