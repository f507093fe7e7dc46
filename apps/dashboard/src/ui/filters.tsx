import { type ReactNode, useId, useState } from 'react'
import { useRead } from '../queries.ts'
import type { Search, SearchName } from '../search.ts'
import { NumberFilter } from './number-filter.tsx'
import { wordOf } from './words.ts'

export interface Field {
  readonly name: SearchName
  readonly label: string
  /** The options; without them the field takes text. */
  readonly choices?: readonly string[] | 'merchants' | 'rails'
  readonly placeholder?: string
  /** The field takes a payer's number; the URL holds only its handle. */
  readonly isNumber?: boolean
}

export const days: readonly Field[] = [
  { name: 'from', label: 'From' },
  { name: 'until', label: 'Until' },
]

interface FiltersProps {
  readonly fields: readonly Field[]
  readonly search: Search
  readonly onChange: (name: SearchName, value: string | undefined) => void
  readonly onClear: () => void
}

/** The URL holds the filters, so a list can be sent to a colleague. */
export function Filters({ fields, search, onChange, onClear }: FiltersProps) {
  const isAny = fields.some(({ name }) => search[name] !== undefined)
  return (
    <form className="filters" role="search" aria-label="Filters" onSubmit={(event) => event.preventDefault()}>
      {fields.map((field) => {
        const value = search[field.name] ?? ''
        const set = (text: string) => onChange(field.name, text.trim() === '' ? undefined : text.trim())
        const Input = inputOf(field)
        return <Input key={field.name} field={field} value={value} set={set} />
      })}
      {isAny && (
        <button type="button" className="plain" onClick={onClear}>
          Clear
        </button>
      )}
    </form>
  )
}

function inputOf({ choices, isNumber }: Field): (props: InputProps) => ReactNode {
  if (isNumber === true) return NumberFilter
  return choices === undefined ? TextFilter : ChoiceFilter
}

interface InputProps {
  readonly field: Field
  readonly value: string
  readonly set: (text: string) => void
}

/** Applies its value on blur or Enter. */
function TextFilter({ field: { name, label, placeholder }, value, set }: InputProps) {
  const id = useId()
  const isDay = name === 'from' || name === 'until'
  const [text, setText] = useState(value)
  const [taken, setTaken] = useState(value)
  // The URL changed: a link was followed or the filters were cleared.
  if (taken !== value) {
    setTaken(value)
    setText(value)
  }
  const take = () => {
    if (text.trim() !== value) set(text)
  }
  return (
    <div className={isDay ? 'filter day' : 'filter text'}>
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        type={isDay ? 'date' : 'text'}
        value={text}
        onChange={(event) => setText(event.target.value)}
        placeholder={placeholder}
        autoComplete="off"
        spellCheck={false}
        onBlur={take}
        onKeyDown={(event) => {
          if (event.key === 'Enter') take()
        }}
      />
    </div>
  )
}

function ChoiceFilter({ field: { label, choices = [] }, value, set }: InputProps) {
  const id = useId()
  const merchants = useRead('merchantClients', {}, { isWanted: choices === 'merchants' })
  const rails = useRead('rails', {}, { isWanted: choices === 'rails' })
  const offered =
    typeof choices === 'string'
      ? ((choices === 'rails' ? rails : merchants).data?.data.map(({ id }) => id) ?? [])
      : choices
  // A value of the URL is shown as chosen, even if it is unknown.
  const all = value === '' || offered.includes(value) ? offered : [value, ...offered]
  return (
    <div className="filter">
      <label htmlFor={id}>{label}</label>
      <select id={id} value={value} onChange={(event) => set(event.target.value)}>
        <option value="">Any</option>
        {all.map((choice) => (
          <option key={choice} value={choice}>
            {typeof choices === 'string' ? choice : wordOf(choice)}
          </option>
        ))}
      </select>
    </div>
  )
}
