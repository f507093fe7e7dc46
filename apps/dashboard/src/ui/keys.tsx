import { useNavigate } from '@tanstack/react-router'
import { type RefObject, useLayoutEffect, useRef, useState } from 'react'
import { areKeysOn, keepPreference } from '../preferences.ts'
import { isInField } from './is-in-field.ts'
import { i18n } from '../i18n.ts'

/** Where a key leads after `g`. */
const places = {
  o: { to: '/', text: i18n.t('Overview') },
  n: { to: '/attention', text: i18n.t('Needs attention') },
  p: { to: '/payments', text: i18n.t('Payments') },
  c: { to: '/charges', text: i18n.t('Charges') },
  r: { to: '/refunds', text: i18n.t('Refunds') },
  d: { to: '/deliveries', text: i18n.t('Deliveries') },
  e: { to: '/events', text: i18n.t('Events') },
  b: { to: '/bulk-jobs', text: i18n.t('Bulk actions') },
} as const

const isPlace = (key: string): key is keyof typeof places => Object.hasOwn(places, key)

/** How long after `g` its second key counts. */
const SECOND_KEY_MS = 1_500

/** Moves the focus to the first link of the next or the previous row. */
function moveInTable(by: 1 | -1): void {
  const rows = [...document.querySelectorAll<HTMLElement>('main tbody tr')]
  const at = rows.findIndex((row) => row.contains(document.activeElement))
  const row = rows[at === -1 ? 0 : at + by]
  row?.querySelector<HTMLElement>('a, button')?.focus()
}

interface KeysProps {
  readonly dialog: RefObject<HTMLDialogElement | null>
}

/** Opens the list of keys without a key. */
export const KeysButton = ({ dialog }: KeysProps) => (
  <button
    type="button"
    className="plain"
    aria-label={i18n.t('Keyboard shortcuts')}
    onClick={() => dialog.current?.showModal()}
  >
    ?
  </button>
)

/** The keys of every screen, and the dialog that lists them. */
export function Keys({ dialog }: KeysProps) {
  const navigate = useNavigate()
  const pressedGAtMs = useRef(Number.NEGATIVE_INFINITY)
  // With the screen and not after it: who sees the screen can press a key at once.
  useLayoutEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const { key, timeStamp } = event
      if (!areKeysOn() || isInField(event) || event.ctrlKey || event.metaKey || event.altKey) return
      const isSecond = timeStamp - pressedGAtMs.current < SECOND_KEY_MS
      pressedGAtMs.current = key === 'g' ? timeStamp : Number.NEGATIVE_INFINITY
      if (isSecond && isPlace(key)) void navigate({ to: places[key].to })
      else if (key === '?') dialog.current?.showModal()
      else if (key === 'j') moveInTable(1)
      else if (key === 'k') moveInTable(-1)
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [dialog, navigate])
  return (
    <dialog ref={dialog} aria-label={i18n.t('Keyboard shortcuts')} closedby="any">
      <h2>{i18n.t('Keyboard shortcuts')}</h2>
      <dl className="facts">
        {lines.map(([keys, text]) => (
          <div key={keys}>
            <dt>
              <kbd>{keys}</kbd>
            </dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
      <KeysChoice />
      <div className="buttons">
        <button type="button" onClick={() => dialog.current?.close()}>
          {i18n.t('Close')}
        </button>
      </div>
    </dialog>
  )
}

function KeysChoice() {
  const [isOn, setOn] = useState(areKeysOn)
  const choose = (on: boolean) => {
    setOn(on)
    keepPreference('keys', on ? 'on' : 'off')
  }
  return (
    <label className="choice">
      <input type="checkbox" checked={isOn} onChange={({ target }) => choose(target.checked)} />
      {i18n.t('Use these keys')}
    </label>
  )
}

const lines: readonly (readonly [string, string])[] = [
  ['/', i18n.t('Find')],
  ['j', i18n.t('Next row')],
  ['k', i18n.t('Previous row')],
  ...Object.entries(places).map(([key, { text }]) => [`g ${key}`, text] as const),
  ['?', i18n.t('This list')],
]
