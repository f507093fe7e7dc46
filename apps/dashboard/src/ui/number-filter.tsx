import { useId, useRef, useState } from 'react'
import { useMember } from '../member.tsx'
import { lookUp } from '../wire/client.ts'

interface NumberFilterProps {
  readonly field: { readonly label: string; readonly placeholder?: string }
  /** The handle that stands in the address. */
  readonly value: string
  readonly set: (handle: string) => void
}

/** A payer's number: sent by POST when the field is left, or with Enter. The address holds its handle alone. */
export function NumberFilter({ field: { label, placeholder }, value, set }: NumberFilterProps) {
  const id = useId()
  const { csrf_token: csrfToken } = useMember()
  const [text, setText] = useState('')
  const [note, setNote] = useState('')
  // What was typed for the handle in the address; nothing where that came with a link.
  const [shown, setShown] = useState({ text: '', handle: value })
  const asking = useRef(new AbortController())
  // The address has changed: another link was followed, or the filters were cleared.
  if (shown.handle !== value) {
    setShown({ text: '', handle: value })
    setText('')
    setNote('')
  }

  const choose = (number: string, handle: string) => {
    setShown({ text: number, handle })
    setNote('')
    set(handle)
  }
  const take = async () => {
    const number = text.trim()
    if (number === shown.text) return
    asking.current.abort()
    const { signal } = (asking.current = new AbortController())
    if (number === '') return choose('', '')
    try {
      const { payer } = await lookUp(number, csrfToken, signal)
      if (signal.aborted) return
      if (payer === null) setNote('This is no phone number.')
      else choose(number, payer)
    } catch (error) {
      // A later number has taken its place.
      if (!signal.aborted) setNote(error instanceof Error ? error.message : 'It could not be looked up.')
    }
  }
  return (
    <div className="filter text">
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        type="text"
        value={text}
        onChange={(event) => setText(event.target.value)}
        placeholder={value !== '' && shown.text === '' ? 'a number of a link' : placeholder}
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
