import { amountText } from '@merchant-payments/payer-client/form/words/amount'
import type { BrowserSession } from '@merchant-payments/payer-client/form/types'
import { languageOf, type Locale } from '@merchant-payments/payer-client/form/words/languages'

/** Sets the language of the page, and its title in that language alone. */
export function nameShell(locale: Locale): void {
  document.documentElement.lang = locale
  document.title = languageOf(locale).title
}

/** Shows amount and merchant in the page's own HTML while the main script loads. */
export function fillShell({ merchant, amount, currency }: BrowserSession, locale: Locale): void {
  setText('merchant', merchant.name)
  setText('amount', amountText(amount, currency, locale))
}

function setText(id: string, text: string): void {
  const element = document.getElementById(id)
  if (element !== null) element.textContent = text
}
