import { amountText } from './words/amount.ts'
import type { BrowserSession, Locale } from './wire/types.ts'

/** Shows amount and merchant in the page's own HTML while the main script loads. */
export function fillShell({ merchant, amount, currency }: BrowserSession, locale: Locale): void {
  setText('merchant', merchant.name)
  setText('amount', amountText(amount, currency, locale))
}

function setText(id: string, text: string): void {
  const element = document.getElementById(id)
  if (element !== null) element.textContent = text
}
