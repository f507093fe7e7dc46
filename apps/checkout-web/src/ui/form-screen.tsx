import type { FormEvent } from 'react'
import type { Checkout } from '../checkout/checkout.ts'
import type { Facts, Notice } from '../checkout/facts.ts'
import type { BrowserSession, RailOffer } from '../wire/types.ts'
import { type Locale, textIn } from '../words/languages.ts'
import { amountText } from '../words/amount.ts'
import { words, type Words } from '../words/index.ts'
import { NumberField } from './number-field.tsx'
import { PhoneLink } from './phone-link.tsx'
import { RailChoice } from './rail-choice.tsx'
import { ShopLink } from './shop-link.tsx'
import { type NumberFault, useOrder } from './use-order.ts'

export interface FormScreenProps {
  readonly session: BrowserSession
  readonly facts: Facts
  readonly checkout: Checkout
  readonly locale: Locale
}

export function FormScreen(props: FormScreenProps) {
  const { session, locale } = props
  if (session.rails.length > 0) return <OrderForm {...props} />
  return (
    <>
      <p>{words[locale].noRail(session.merchant.name)}</p>
      <ShopLink session={session} locale={locale} />
    </>
  )
}

function OrderForm({ session, facts, checkout, locale }: FormScreenProps) {
  const say = words[locale]
  const { rails } = session
  const { notice, confirm } = facts
  const input = useOrder(rails, facts, checkout.writeNumber)
  const { rail, fault } = input
  const asksForNumber = rails.some(({ instrument }) => instrument === 'msisdn')

  function submit(event: FormEvent<HTMLFormElement>): void {
    event.preventDefault()
    const order = input.check()
    if (order !== null) void checkout.pay(order, locale)
  }

  const isSending = confirm === 'sending'
  return (
    <form onSubmit={submit} noValidate>
      {notice === 'free_again' && <p className="wait">{say.freeAgain}</p>}
      {isFormNotice(notice) && (
        <p role="alert" className="alert">
          {noticeText(notice, session.merchant.name, say)}
        </p>
      )}
      {asksForNumber && (
        <NumberField
          label={rails.length > 1 ? say.anyNumberLabel : say.numberLabel(nameOf(rails, locale))}
          hint={rail?.instrument === null ? say.numberAtRail(textIn(rail.name, locale)) : say.numberHint}
          error={faultText(fault ?? (notice === 'number_refused' ? notice : null), rails, locale)}
          value={input.number}
          onWrite={input.write}
        />
      )}
      {rails.length > 1 && <RailChoice rails={rails} input={input} locale={locale} />}
      <button type="submit" aria-disabled={isSending}>
        {isSending ? say.sending : buttonText(session, rail, locale)}
      </button>
      {rail !== null && (
        <p className="note safe">
          {(rail.flow === 'push' ? say.pushNote : say.redirectNote)(textIn(rail.name, locale))}
        </p>
      )}
      <ShopLink session={session} locale={locale} />
      <PhoneLink locale={locale} onShow={checkout.shareLink} />
    </form>
  )
}

const nameOf = ([rail]: readonly RailOffer[], locale: Locale): string =>
  rail === undefined ? '' : textIn(rail.name, locale)

function faultText(
  fault: NumberFault | 'number_refused' | null,
  rails: readonly RailOffer[],
  locale: Locale,
): string | null {
  const say = words[locale]
  switch (fault) {
    case null:
      return null
    case 'missing':
      return say.numberMissing
    case 'no_rail':
      return say.railMissing
    case 'fits_none':
      return say.numberFitsNone(rails.map(({ name }) => textIn(name, locale)))
    case 'number_refused':
      return say.numberRefused
  }
}

const buttonText = ({ amount, currency }: BrowserSession, rail: RailOffer | null, locale: Locale): string =>
  rail?.flow === 'redirect'
    ? words[locale].payAtRail(textIn(rail.name, locale))
    : words[locale].pay(amountText(amount, currency, locale))

type FormNotice = 'order_refused' | 'not_received' | 'start_again'

/** A link without tries left has a screen of its own, and a refused number is shown at its field. */
const isFormNotice = (notice: Notice | null): notice is FormNotice =>
  notice === 'order_refused' || notice === 'not_received' || notice === 'start_again'

function noticeText(notice: FormNotice, merchant: string, say: Words): string {
  switch (notice) {
    case 'order_refused':
      return say.orderRefused
    case 'not_received':
      return say.notReceived
    case 'start_again':
      return say.startAgain(merchant)
  }
}
