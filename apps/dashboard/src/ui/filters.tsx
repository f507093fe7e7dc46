import { type KeyboardEvent, type ReactNode, useId, useState } from 'react'
import { useRead } from '../queries.ts'
import { amountOf, knownCurrencies, type Search, type SearchName, USUAL_CURRENCY } from '../search.ts'
import { factsOf, ownZone, zoneOf } from '../zone.ts'
import { NumberFilter } from './number-filter.tsx'
import { wordOf } from './words.ts'
import { i18n } from '../i18n.ts'

export interface Field {
  readonly name: SearchName
  readonly label: string
  /** The options; without them the field takes text. */
  readonly choices?: readonly string[] | 'merchants' | 'rails' | 'colleagues'
  /** The text of a choice. By default that of the API's word. */
  readonly textOf?: (choice: never) => string
  /** The text of no choice, if it is not “Any”. */
  readonly anyText?: string
  readonly placeholder?: string
  /** The field takes a payer's number; the URL holds only its handle. */
  readonly isNumber?: boolean
  /** Why the value filters nothing. */
  readonly fault?: string
  /** Stands behind “More filters”. */
  readonly isRare?: boolean
}

export const days: readonly Field[] = [
  { name: 'from', label: i18n.t('From') },
  { name: 'until', label: i18n.t('Until') },
]

export const amounts: readonly Field[] = [
  { name: 'amount_from', label: i18n.t('Amount from'), placeholder: '25 000' },
  { name: 'amount_to', label: i18n.t('Amount to') },
  {
    name: 'currency',
    label: i18n.t('Currency'),
    choices: knownCurrencies,
    anyText: i18n.t('Any, or {currency} with an amount', { currency: USUAL_CURRENCY }),
    textOf: (code: string) => code,
  },
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
  const rare = fields.filter(({ isRare }) => isRare === true)
  const inputs = (some: readonly Field[]) =>
    some.map((field) => {
      const value = search[field.name] ?? ''
      const set = (text: string) => onChange(field.name, text.trim() === '' ? undefined : text.trim())
      const Input = inputOf(field)
      return (
        <Input key={field.name} field={inZoneOf(search, withFault(search, field))} value={value} set={set} />
      )
    })
  return (
    <form
      className="filters"
      role="search"
      aria-label={i18n.t('Filters')}
      onSubmit={(event) => event.preventDefault()}
    >
      {inputs(fields.filter(({ isRare }) => isRare !== true))}
      {rare.length > 0 && (
        <details open={rare.some(({ name }) => search[name] !== undefined)}>
          <summary>{i18n.t('More filters')}</summary>
          <div className="filters">{inputs(rare)}</div>
        </details>
      )}
      {isAny && (
        <button type="button" className="plain" onClick={onClear}>
          {i18n.t('Clear')}
        </button>
      )}
    </form>
  )
}

/** An amount that its currency does not have, or that can be read in two ways, is not sent. */
function withFault(search: Search, field: Field): Field {
  const text = field.name === 'amount_from' || field.name === 'amount_to' ? search[field.name] : undefined
  const { currency = USUAL_CURRENCY } = search
  return text === undefined || amountOf(text, currency) !== undefined
    ? field
    : { ...field, fault: i18n.t('This is not clearly an amount in {currency}.', { currency }) }
}

/** Days and times are of the address's zone if it has any, else of the reader's. */
function inZoneOf({ from, until, zone }: Search, field: Field): Field {
  if (field.name !== 'from' && field.name !== 'until') return field
  const { name } = factsOf(from === undefined && until === undefined ? ownZone : zoneOf(zone))
  return { ...field, label: i18n.t('{label}, {zone}', { label: field.label, zone: name }) }
}

function inputOf({ name, choices, isNumber }: Field): (props: InputProps) => ReactNode {
  if (isNumber === true) return NumberFilter
  if (name === 'from' || name === 'until') return DayFilter
  return choices === undefined ? TextFilter : ChoiceFilter
}

interface InputProps {
  readonly field: Field
  readonly value: string
  readonly set: (text: string) => void
}

/** Applies its value on blur or Enter. */
function TextFilter({ field: { label, placeholder, fault }, value, set }: InputProps) {
  const id = useId()
  const { text, setText, take } = useText(value, set)
  return (
    <div className="filter text">
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        type="text"
        value={text}
        onChange={(event) => setText(event.target.value)}
        placeholder={placeholder}
        autoComplete="off"
        spellCheck={false}
        aria-invalid={fault !== undefined}
        aria-describedby={`${id}-fault`}
        onBlur={take}
        onKeyDown={(event) => {
          if (event.key === 'Enter') take()
        }}
      />
      <span id={`${id}-fault`} role="status" className="quiet">
        {fault}
      </span>
    </div>
  )
}

/** The text of an input, which follows the URL: a link was followed or the filters were cleared. */
function useText(value: string, set: (text: string) => void) {
  const [text, setText] = useState(value)
  const [taken, setTaken] = useState(value)
  if (taken !== value) {
    setTaken(value)
    setText(value)
  }
  const take = () => {
    if (text.trim() !== value) set(text)
  }
  return { text, setText, take }
}

/** A whole day, or an instant of it once a time is given. Applies its value on blur or Enter. */
function DayFilter({ field: { label }, value, set }: InputProps) {
  const id = useId()
  const { text, setText, take } = useText(value, set)
  const [day = '', time = ''] = text.split('T')
  const keys = {
    onBlur: take,
    onKeyDown: (event: KeyboardEvent) => {
      if (event.key === 'Enter') take()
    },
  }
  return (
    <div className="filter day">
      <label htmlFor={id}>{label}</label>
      <span>
        <input id={id} type="date" value={day} onChange={(event) => setText(event.target.value)} {...keys} />
        {day !== '' && (
          <input
            type="time"
            step="1"
            aria-label={i18n.t('{label}, time', { label })}
            value={time}
            onChange={({ target }) => setText(target.value === '' ? day : `${day}T${target.value}`)}
            {...keys}
          />
        )}
      </span>
    </div>
  )
}

interface Choice {
  readonly value: string
  readonly text: string
}

interface Offered {
  readonly choices: readonly Choice[]
  /** Why the choices are not known. */
  readonly error: Error | null
}

/** The choices of the field, some of which the deployment decides. */
function useOffered({ choices, textOf = wordOf }: Field): Offered {
  const merchants = useRead('merchantClients', {}, { isWanted: choices === 'merchants' })
  const rails = useRead('rails', {}, { isWanted: choices === 'rails' })
  const colleagues = useRead('colleagues', {}, { isWanted: choices === 'colleagues' })
  const asIs = ({ data, error }: Pick<typeof merchants | typeof rails, 'data' | 'error'>): Offered => ({
    choices: (data?.data ?? []).map(({ id }) => ({ value: id, text: id })),
    error: data === undefined ? error : null,
  })
  if (choices === 'merchants') return asIs(merchants)
  if (choices === 'rails') return asIs(rails)
  if (choices === 'colleagues') {
    const { data, error } = colleagues
    const people = (data?.data ?? []).map(({ id, name }) => ({ value: id, text: name }))
    return { choices: people, error: data === undefined ? error : null }
  }
  return {
    choices: (choices ?? []).map((choice) => ({ value: choice, text: textOf(choice as never) })),
    error: null,
  }
}

function ChoiceFilter({ field, value, set }: InputProps) {
  const id = useId()
  const { choices: offered, error } = useOffered(field)
  const isKnown = value === '' || offered.some((choice) => choice.value === value)
  // A value of the URL is shown as chosen, even if it is unknown.
  const all = isKnown ? offered : [{ value, text: value }, ...offered]
  return (
    <div className="filter">
      <label htmlFor={id}>{field.label}</label>
      <select id={id} value={value} onChange={(event) => set(event.target.value)}>
        <option value="">{field.anyText ?? i18n.t('Any')}</option>
        {all.map(({ value: one, text }) => (
          <option key={one} value={one}>
            {text}
          </option>
        ))}
      </select>
      {error && (
        <span role="status" className="quiet">
          {i18n.t('The choices could not be read: {reason}', { reason: error.message })}
        </span>
      )}
    </div>
  )
}
