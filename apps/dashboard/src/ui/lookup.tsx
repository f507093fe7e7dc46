import type { LookupResult } from '@merchant-payments/contract'
import { Link, useNavigate } from '@tanstack/react-router'
import { type FormEvent, useLayoutEffect, useRef, useState } from 'react'
import { nowMs } from '../clock.ts'
import { areKeysOn } from '../preferences.ts'
import { since } from '../search.ts'
import { Icon } from './icon.tsx'
import { isInField } from './is-in-field.ts'
import { Money } from './money.tsx'
import { placeOf } from './place-of.ts'
import { Status } from './status.tsx'
import { Time } from './time.tsx'
import { useLookUp } from './use-look-up.ts'
import { invoiceWordOf, textIn, wordOf } from './words.ts'
import { i18n } from '../i18n.ts'
import { ownZone } from '../zone.ts'

type Match = LookupResult['matches'][number]
/** The longest text that the API looks up. */
const QUESTION_CHARS_MAX = 500
const DAY_SEC = 86_400
const id = /^\s*[a-z]{2,3}_[0-9a-f]{32}\s*$/

/** Finds by whatever a payer or a merchant can name. Ctrl K or / opens it; pasting an id anywhere opens its object. */
export function Lookup() {
  const dialog = useRef<HTMLDialogElement>(null)
  const [text, setText] = useState('')
  const navigate = useNavigate()

  const goTo = (match: Match) => {
    dialog.current?.close()
    void navigate(placeOf(match.id, match.payment_intent) ?? { to: '/' })
  }
  const { matches, payer, amount, note, find, clear, stop } = useMatches(goTo)
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
      <dialog ref={dialog} className="finder" aria-label={i18n.t('Find')} closedby="any" onClose={stop}>
        <form onSubmit={submit}>
          <label htmlFor="find">
            {i18n.t(
              'One of these: an id, an operator’s transaction or the text of its SMS, an order number, a name, an e-mail, an amount, a phone number or at least its last four digits',
            )}
          </label>
          <input
            id="find"
            value={text}
            onChange={(event) => setText(event.target.value)}
            maxLength={QUESTION_CHARS_MAX}
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
        <OtherWays payer={payer} amount={amount} close={() => dialog.current?.close()} />
      </dialog>
    </>
  )
}

interface OtherWaysProps {
  readonly payer: string | null
  readonly amount: number | null
  readonly close: () => void
}

/** The lists that the text leads to. */
const OtherWays = ({ payer, amount, close }: OtherWaysProps) => (
  <>
    {payer !== null && (
      <Link to="/payments" search={{ payer }} onClick={close}>
        {i18n.t('All payments of this number')}
      </Link>
    )}
    {amount !== null && (
      <Link
        to="/payments"
        search={{
          ...since(Math.floor(nowMs() / 1_000) - DAY_SEC, ownZone),
          amount_from: String(amount),
          amount_to: String(amount),
        }}
        onClick={close}
      >
        {i18n.t('Payments of this amount in the last 24 hours')}
      </Link>
    )}
  </>
)

const MatchLine = ({ match }: { match: Match }) => (
  <span className="match">
    <b>{wordOf(match.kind)}</b>
    {match.name !== null && <span>{match.name}</span>}
    {match.amount !== null && match.currency !== null && (
      <Money amount={match.amount} currency={match.currency} />
    )}
    {match.status !== null && (
      <Status of={match.status} textOf={match.kind === 'invoice' ? invoiceWordOf : wordOf} />
    )}
    <Time at={match.created} />
    <code>{match.id}</code>
    <span className="quiet">{match.merchant}</span>
    {match.matched !== 'id' && <span className="quiet">{textIn(signs, match.matched)}</span>}
  </span>
)

/** What the text is of the object. */
const signs: Readonly<Record<Match['matched'], string>> = {
  id: i18n.t('found by its id'),
  reference: i18n.t('found by our reference'),
  rail_transaction: i18n.t('found by the operator’s transaction'),
  metadata: i18n.t('found by its metadata'),
  client_reference: i18n.t('found by the shop’s reference'),
  number: i18n.t('found by the phone number'),
  email: i18n.t('found by the e-mail'),
  name: i18n.t('found by the name'),
}

/** Looks a text up, and goes to what it finds if that is one object. */
function useMatches(goTo: (match: Match) => void) {
  const lookUp = useLookUp()
  const [matches, setMatches] = useState<readonly Match[]>([])
  const [payer, setPayer] = useState<string | null>(null)
  const [amount, setAmount] = useState<number | null>(null)
  const [note, setNote] = useState('')
  const asking = useRef(new AbortController())

  const clear = () => {
    setMatches([])
    setPayer(null)
    setAmount(null)
    setNote('')
  }
  const find = async (wanted: string) => {
    asking.current.abort()
    const { signal } = (asking.current = new AbortController())
    clear()
    setNote(i18n.t('Looking…'))
    try {
      const { matches: found, payer: handle, amount: francs } = await lookUp(wanted.trim(), signal)
      if (signal.aborted) return
      const [only] = found
      if (found.length === 1 && only !== undefined && francs === null) return goTo(only)
      setMatches(found)
      setPayer(handle)
      setAmount(francs)
      setNote(
        found.length === 0
          ? i18n.t('Nothing found for this text.')
          : i18n.t('{count} found.', { count: found.length }),
      )
    } catch (error) {
      // A later look-up has taken its place, or the dialog was closed.
      if (signal.aborted) return
      setNote(error instanceof Error ? error.message : i18n.t('The look-up failed. Try again.'))
    }
  }
  return { matches, payer, amount, note, find, clear, stop: () => asking.current.abort() }
}

function useShortcuts(open: (wanted?: string) => void) {
  // With the screen and not after it: who sees the screen can press a key at once.
  useLayoutEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const isSlash = event.key === '/' && areKeysOn() && !isInField(event)
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
