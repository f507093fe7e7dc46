import { useEffect, useId, useRef, useState } from 'react'
import { useLookUp } from './use-look-up.ts'
import { i18n } from '../i18n.ts'

interface NumberFilterProps {
  readonly field: { readonly label: string; readonly placeholder?: string }
  /** The handle in the URL. */
  readonly value: string
  readonly set: (handle: string) => void
}

/** Looks a payer's number up by POST, on blur or Enter. The URL holds only its handle. */
export function NumberFilter({ field: { label, placeholder }, value, set }: NumberFilterProps) {
  const id = useId()
  const { text, setText, note, isOfLink, take } = useNumber(value, set)
  return (
    <div className="filter text">
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        type="text"
        value={text}
        onChange={(event) => setText(event.target.value)}
        placeholder={isOfLink ? i18n.t('a number of a link') : placeholder}
        autoComplete="off"
        spellCheck={false}
        aria-describedby={`${id}-note`}
        onBlur={() => void take()}
        onKeyDown={(event) => {
          if (event.key === 'Enter') void take()
        }}
      />
      <span id={`${id}-note`} role="status" className="quiet">
        {note}
      </span>
    </div>
  )
}

/** Asks for the handle of the number that was typed. */
function useNumber(value: string, set: NumberFilterProps['set']) {
  const lookUp = useLookUp()
  const [text, setText] = useState('')
  const [note, setNote] = useState('')
  const [seen, setSeen] = useState(value)
  // The number typed for the present handle; empty if the handle came with a link.
  const [chosen, setChosen] = useState({ text: '', handle: value })
  const asking = useRef<{ text: string; ends: AbortController } | null>(null)
  const latestSet = useRef(set)
  useEffect(() => {
    latestSet.current = set
  }, [set])
  // A late answer must not lead back to this screen.
  useEffect(() => () => asking.current?.ends.abort(), [])
  if (seen !== value) {
    setSeen(value)
    // The URL changed: a link was followed or the filters were cleared.
    if (chosen.handle !== value) {
      setChosen({ text: '', handle: value })
      setText('')
      setNote('')
    }
  }

  const choose = (number: string, handle: string) => {
    setChosen({ text: number, handle })
    setNote('')
    latestSet.current(handle)
  }
  const take = async () => {
    const number = text.trim()
    // Enter followed by blur submits twice; the number is sent once.
    if (number === asking.current?.text) return
    asking.current?.ends.abort()
    asking.current = null
    if (number === chosen.text) return
    if (number === '') return choose('', '')
    const mine = (asking.current = { text: number, ends: new AbortController() })
    const { signal } = mine.ends
    try {
      const { payer } = await lookUp(number, signal)
      if (signal.aborted) return
      if (payer === null) setNote(i18n.t('This is not a phone number.'))
      else choose(number, payer)
    } catch (error) {
      // Silent if another number replaced this one or the screen was left.
      if (!signal.aborted)
        setNote(error instanceof Error ? error.message : i18n.t('The look-up failed. Try again.'))
    }
    if (asking.current === mine) asking.current = null
  }
  return { text, setText, note, isOfLink: value !== '' && chosen.text === '', take }
}
