import { useEffect, useRef, useState, useSyncExternalStore } from 'react'
import type { Checkout } from '@merchant-payments/payer-client/form/checkout'
import { isMoving } from '@merchant-payments/payer-client/form/facts'
import { screenOf } from '@merchant-payments/payer-client/form/screen'
import type { Clock } from '@merchant-payments/payer-client/form/clock'
import type { BrowserSession } from '@merchant-payments/payer-client/form/types'
import { amountText } from '@merchant-payments/payer-client/form/words/amount'
import { words } from '../words/index.ts'
import {
  type LanguageChoice,
  languageOf,
  type Locale,
  locales,
  shownLocale,
} from '@merchant-payments/payer-client/form/words/languages'
import { openRequestText } from '@merchant-payments/payer-client/form/open-request'
import { useAccent } from './accent.ts'
import { approvalTime, secondsLeft } from '@merchant-payments/payer-client/form/approval-time'
import { Body } from './body.tsx'
import { statusText } from '@merchant-payments/payer-client/form/status-text'
import { markOf, titleOf } from '@merchant-payments/payer-client/form/titles'
import { useFocusOnChange } from './use-focus-on-change.ts'
import { useTick } from './use-tick.ts'

export interface AppProps {
  readonly checkout: Checkout
  readonly serverNowMs: Clock
  readonly language: LanguageChoice
}

export function App({ checkout, serverNowMs, language }: AppProps) {
  const facts = useSyncExternalStore(checkout.subscribe, checkout.facts)
  const [chosen, setChosen] = useState(language.chosen)
  const heading = useRef<HTMLHeadingElement>(null)
  const { session, attempt } = facts
  useTick(session !== null && isMoving(session.payment_intent))

  const locale = shownLocale({ ...language, chosen }, session)
  const serverMs = serverNowMs()
  const leftSec = secondsLeft(session, serverMs)
  const screen = screenOf(facts)
  const time = screen.name === 'approve' ? approvalTime(screen.rail, attempt, leftSec, serverMs) : null
  const title = titleOf(screen, facts.confirm === 'leaving', locale)
  const warning = openRequestText(facts, locale)
  const say = words[locale]

  useEffect(() => {
    document.documentElement.lang = locale
    document.title = session === null ? title : `${title} · ${session.merchant.name}`
  }, [locale, title, session])
  useAccent(session?.merchant.accent_color ?? null)
  useFocusOnChange(heading, screen.name)

  return (
    <>
      <header>{session !== null && <Sale session={session} locale={locale} />}</header>
      <p role="status" aria-live="polite" aria-atomic="true" className={facts.online ? 'spoken' : 'banner'}>
        {statusText(facts, warning ?? title, time, say)}
      </p>
      <main aria-busy={facts.confirm === 'sending'} data-mark={markOf(screen.name)}>
        <h1 key={screen.name} ref={heading} tabIndex={-1}>
          {title}
        </h1>
        {warning !== null && <p className="wait strong">{warning}</p>}
        <Body
          screen={screen}
          facts={facts}
          time={time}
          leftSec={leftSec}
          checkout={checkout}
          locale={locale}
        />
      </main>
      <footer>
        <LanguageSwitch
          locale={locale}
          onChoose={(next) => {
            setChosen(next)
            language.choose(next)
          }}
        />
      </footer>
    </>
  )
}

/** Whose page it is, how much is paid, and for what. */
function Sale({ session, locale }: { session: BrowserSession; locale: Locale }) {
  const { merchant, payment_intent: intent } = session
  return (
    <>
      {merchant.logo !== null && <img className="logo" src={merchant.logo} alt="" />}
      <p className="merchant">{merchant.name}</p>
      <p className="amount">{amountText(session.amount, session.currency, locale)}</p>
      {intent.description !== null && <p className="note">{intent.description}</p>}
      {!session.livemode && <p className="badge">{words[locale].testMode}</p>}
    </>
  )
}

function LanguageSwitch({ locale, onChoose }: { locale: Locale; onChoose: (locale: Locale) => void }) {
  return locales()
    .filter((other) => other !== locale)
    .map((other, place) => (
      // The pressed button stays, with its focus, and names the next language.
      <button key={place} type="button" className="quiet" lang={other} onClick={() => onChoose(other)}>
        {languageOf(other).name}
      </button>
    ))
}
