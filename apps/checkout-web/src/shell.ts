import { amountText } from './words/amount.ts'
import type { BrowserSession, Locale } from './wire/types.ts'

/** Shows what is to be paid, and to whom, in the page's own HTML, while the rest of the script is on its way. */
export function fillShell({ merchant, amount, currency }: BrowserSession, locale: Locale): void {
  setText('merchant', merchant.name)
  setText('amount', amountText(amount, currency, locale))
}

function setText(id: string, text: string): void {
  const element = document.getElementById(id)
  if (element !== null) element.textContent = text
}
