import type { LookupResult } from '@merchant-payments/contract'
import { Link, useNavigate } from '@tanstack/react-router'
import { type FormEvent, useEffect, useRef, useState } from 'react'
import { useMember } from '../member.tsx'
import { lookUp } from '../wire/client.ts'
import { Icon } from './icon.tsx'
import { Money } from './money.tsx'
import { placeOf } from './place-of.ts'
import { Status } from './status.tsx'
import { Time } from './time.tsx'
import { wordOf } from './words.ts'
import { i18n } from '../i18n.ts'

type Match = LookupResult['matches'][number]
const id = /^\s*[a-z]{2,3}_[0-9a-f]{32}\s*$/

/** Finds by id, rail reference, phone number or its last digits. Ctrl K or / opens it; pasting an id anywhere opens its object. */
export function Lookup() {
  const dialog = useRef<HTMLDialogElement>(null)
  const [text, setText] = useState('')
  const navigate = useNavigate()

  const goTo = (match: Match) => {
    dialog.current?.close()
    void navigate(placeOf(match.id, match.payment_intent) ?? { to: '/' })
  }
  const { matches, payer, note, find, clear } = useMatches(goTo)
  const open = (wanted = '') => {
    setText(wanted)
    clear()
    if (dialog.current?.open === false) dialog.current.showModal()
    if (wanted !== '') void find(wanted)
  }
  useShortcuts(open)

  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (text.trim() !== '') void find(text)
  }
  return (
    <>
      <button type="button" className="lookup" onClick={() => open()}>
        <Icon name="find" /> {i18n.t('Find…')} <kbd>Ctrl K</kbd>
      </button>
      <dialog ref={dialog} className="finder" aria-label={i18n.t('Find')} closedby="any">
        <form onSubmit={submit}>
          <label htmlFor="find">
            {i18n.t('An id, a rail’s reference, a phone number or its last four digits')}
          </label>
          <input
            id="find"
            value={text}
            onChange={(event) => setText(event.target.value)}
            maxLength={128}
            autoComplete="off"
            spellCheck={false}
          />
        </form>
        <p role="status" className="quiet">
          {note}
        </p>
        <ul>
          {matches.map((match) => (
            <li key={`${match.kind}${match.id}`}>
              <button type="button" className="plain" onClick={() => goTo(match)}>
                <MatchLine match={match} />
              </button>
            </li>
          ))}
        </ul>
        {payer !== null && (
          <Link to="/payments" search={{ payer }} onClick={() => dialog.current?.close()}>
            {i18n.t('All payments of this number')}
          </Link>
        )}
      </dialog>
    </>
  )
}

const MatchLine = ({ match }: { match: Match }) => (
  <span className="match">
    <b>{wordOf(match.kind)}</b>
    {match.amount !== null && match.currency !== null && (
      <Money amount={match.amount} currency={match.currency} />
    )}
    {match.status !== null && <Status of={match.status} />}
    <Time at={match.created} />
    <code>{match.id}</code>
    <span className="quiet">{match.merchant}</span>
  </span>
)

/** Looks a text up, and goes to what it finds if that is one object. */
function useMatches(goTo: (match: Match) => void) {
  const { csrf_token: csrfToken } = useMember()
  const [matches, setMatches] = useState<readonly Match[]>([])
  const [payer, setPayer] = useState<string | null>(null)
  const [note, setNote] = useState('')
  const asking = useRef(new AbortController())

  const clear = () => {
    setMatches([])
    setPayer(null)
    setNote('')
  }
  const find = async (wanted: string) => {
    asking.current.abort()
    const { signal } = (asking.current = new AbortController())
    clear()
    setNote(i18n.t('Looking…'))
    try {
      const { matches: found, payer: handle } = await lookUp(wanted.trim(), csrfToken, signal)
      const [only] = found
      if (found.length === 1 && only !== undefined) return goTo(only)
      setMatches(found)
      setPayer(handle)
      setNote(
        found.length === 0
          ? i18n.t('Nothing found for this id, reference or number.')
          : i18n.t('{count} found.', { count: found.length }),
      )
    } catch (error) {
      // A later look-up has taken its place.
      if (signal.aborted) return
      setNote(error instanceof Error ? error.message : i18n.t('The look-up failed. Try again.'))
    }
  }
  return { matches, payer, note, find, clear }
}

const isInField = ({ target }: Event): boolean =>
  target instanceof Element && target.closest('input, select, textarea, dialog') !== null

function useShortcuts(open: (wanted?: string) => void) {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const isSlash = event.key === '/' && !isInField(event)
      if (!isSlash && (event.key !== 'k' || !(event.metaKey || event.ctrlKey))) return
      event.preventDefault()
      open()
    }
    const onPaste = (event: ClipboardEvent) => {
      const pasted = event.clipboardData?.getData('text') ?? ''
      if (!isInField(event) && id.test(pasted)) open(pasted)
    }
    addEventListener('keydown', onKey)
    addEventListener('paste', onPaste)
    return () => {
      removeEventListener('keydown', onKey)
      removeEventListener('paste', onPaste)
    }
  })
}
