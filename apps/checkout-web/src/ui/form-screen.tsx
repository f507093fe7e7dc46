import { type FormEvent, useState } from 'react'
import type { Checkout } from '../checkout/checkout.ts'
import type { Facts, Notice } from '../checkout/facts.ts'
import type { BrowserSession, Locale, RailOffer } from '../wire/types.ts'
import { amountText } from '../words/amount.ts'
import { words, type Words } from '../words/index.ts'
import { NumberField } from './number-field.tsx'
import { ShopLink } from './shop-link.tsx'

export interface FormScreenProps {
  readonly session: BrowserSession
  readonly facts: Facts
  readonly checkout: Checkout
  readonly locale: Locale
}

export function FormScreen({ session, facts, checkout, locale }: FormScreenProps) {
  const say = words[locale]
  const { attempt, notice, confirm, declineSeen } = facts
  const [code, setCode] = useState(attempt?.rail ?? session.rails[0]?.code)
  const [isNumberMissing, setNumberMissing] = useState(false)
  const rail = session.rails.find((offer) => offer.code === code) ?? session.rails[0]
  if (rail === undefined) {
    return (
      <>
        <p>{say.noRail}</p>
        <ShopLink session={session} locale={locale} />
      </>
    )
  }

  function submit(event: FormEvent<HTMLFormElement>): void {
    event.preventDefault()
    const msisdn = rail?.instrument === 'msisdn' ? writtenNumber(event.currentTarget) : null
    setNumberMissing(msisdn === '')
    if (rail !== undefined && msisdn !== '') void checkout.pay({ rail: rail.code, msisdn }, locale)
  }

  const isSending = confirm === 'sending'
  const numberError = isNumberMissing
    ? say.numberMissing
    : notice === 'number_refused'
      ? say.numberRefused
      : null
  return (
    <form onSubmit={submit} noValidate>
      {notice !== null && notice !== 'number_refused' && notice !== 'too_many_attempts' && (
        <p role="alert" className="alert">
          {noticeText(notice, say)}
        </p>
      )}
      {session.rails.length > 1 && (
        <RailChoice rails={session.rails} chosen={rail} locale={locale} onChoose={setCode} />
      )}
      {rail.instrument === 'msisdn' && (
        <NumberField
          label={say.numberLabel(rail.name[locale])}
          hint={say.numberHint}
          error={numberError}
          initial={declineSeen === 'other_number' ? '' : (attempt?.msisdn ?? '')}
        />
      )}
      <button type="submit" aria-disabled={isSending}>
        {isSending ? say.sending : buttonText(session, rail, locale)}
      </button>
      <p className="note safe">
        {(rail.flow === 'push' ? say.pushNote : say.redirectNote)(rail.name[locale])}
      </p>
      {notice === 'start_again' && <ShopLink session={session} locale={locale} />}
    </form>
  )
}

interface RailChoiceProps {
  readonly rails: readonly RailOffer[]
  readonly chosen: RailOffer
  readonly locale: Locale
  readonly onChoose: (code: string) => void
}

function RailChoice({ rails, chosen, locale, onChoose }: RailChoiceProps) {
  return (
    <fieldset>
      <legend>{words[locale].railQuestion}</legend>
      {rails.map(({ code, name }) => (
        <label key={code} className="choice">
          <input
            type="radio"
            name="rail"
            value={code}
            checked={code === chosen.code}
            onChange={() => onChoose(code)}
          />
          {name[locale]}
        </label>
      ))}
    </fieldset>
  )
}

const writtenNumber = (form: HTMLFormElement): string => {
  const value = new FormData(form).get('msisdn')
  return typeof value === 'string' ? value.trim() : ''
}

const buttonText = (
  { amount, currency }: BrowserSession,
  { flow, name }: RailOffer,
  locale: Locale,
): string =>
  flow === 'push'
    ? words[locale].pay(amountText(amount, currency, locale))
    : words[locale].payAtRail(name[locale])

/** A link without tries left has a screen of its own. */
type FormNotice = Exclude<Notice, 'number_refused' | 'too_many_attempts'>

function noticeText(notice: FormNotice, say: Words): string {
  switch (notice) {
    case 'order_refused':
      return say.orderRefused
    case 'not_received':
      return say.notReceived
    case 'start_again':
      return say.startAgain
  }
}
