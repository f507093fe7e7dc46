import type { Facts, Notice } from './facts.ts'
import type { NumberProblem } from './order-input.ts'
import type { BrowserSession, RailOffer } from './types.ts'
import { amountText } from './words/amount.ts'
import { formWords } from './words/index.ts'
import { type Locale, textIn } from './words/languages.ts'

/** The notice above the form. A refused number is shown at its field, and a link without tries left has a screen. */
export function noticeText(notice: Notice | null, merchant: string, locale: Locale): string | null {
  const say = formWords[locale]
  switch (notice) {
    case 'order_refused':
      return say.orderRefused
    case 'not_received':
      return say.notReceived
    case 'start_again':
      return say.startAgain(merchant)
    case null:
    case 'number_refused':
    case 'too_many_attempts':
    case 'free_again':
      return null
  }
}

/** The text for a faulty number; null if there is no fault. */
export function faultText(
  fault: NumberProblem | null,
  notice: Notice | null,
  rails: readonly RailOffer[],
  locale: Locale,
): string | null {
  const say = formWords[locale]
  switch (fault) {
    case null:
      return notice === 'number_refused' ? say.numberRefused : null
    case 'missing':
      return say.numberMissing
    case 'incomplete':
      return say.numberRefused
    case 'no_rail':
      return say.railMissing
    case 'fits_none':
      return say.numberFitsNone(rails.map(({ name }) => textIn(name, locale)))
  }
}

export const asksForNumber = (rails: readonly RailOffer[]): boolean =>
  rails.some(({ instrument }) => instrument === 'msisdn')

export function numberLabel(rails: readonly RailOffer[], locale: Locale): string {
  const [only, ...others] = rails
  const say = formWords[locale]
  return only === undefined || others.length > 0
    ? say.anyNumberLabel
    : say.numberLabel(textIn(only.name, locale))
}

export const numberHint = (rail: RailOffer | null, locale: Locale): string =>
  rail?.instrument === null
    ? formWords[locale].numberAtRail(textIn(rail.name, locale))
    : formWords[locale].numberHint

export function buttonText(
  { amount, currency }: BrowserSession,
  rail: RailOffer | null,
  confirm: Facts['confirm'],
  locale: Locale,
): string {
  const say = formWords[locale]
  if (confirm === 'sending') return say.sending
  return rail?.flow === 'redirect'
    ? say.payAtRail(textIn(rail.name, locale))
    : say.pay(amountText(amount, currency, locale))
}

export const safetyNote = (rail: RailOffer, locale: Locale): string =>
  (rail.flow === 'push' ? formWords[locale].pushNote : formWords[locale].redirectNote)(
    textIn(rail.name, locale),
  )
