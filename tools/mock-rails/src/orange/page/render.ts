import { readFileSync } from 'node:fs'
import type { OrangePayment } from '../payment.ts'
import { html } from './html.ts'
import type { Html } from './html.ts'
import { ORANGE_SCENARIOS } from '../scenarios.ts'
import type { PayerForm } from './payer-form.ts'
import { TEXTS } from './texts.ts'
import type { Lang, Texts } from './texts.ts'

export const STYLE = readFileSync(new URL('page.css', import.meta.url), 'utf8')

const MINUTE_MS = 60_000

type Wrong = Exclude<PayerForm, { readonly msisdn: string }>

type Visit = {
  /** Undefined if no payment has this token. */
  readonly payment: OrangePayment | undefined
  readonly lang: Lang
  readonly nowMs: number
  readonly wrong?: Wrong
}

/** Renders the payer's page, without a script and without outside assets. */
export function renderPage({ payment, lang, nowMs, wrong }: Visit): string {
  const texts = TEXTS[lang]
  if (payment?.state === 'INITIATED') {
    const title = wrong === undefined ? texts.heading : `${texts.error} – ${texts.heading}`
    return document(lang, title, form(payment, lang, nowMs, wrong))
  }
  const [heading, text] = texts.states[payment?.state ?? 'UNKNOWN']
  const content = html`<h1>${heading}</h1><p>${text}</p>${payment === undefined ? [] : goBack(payment, texts)}`
  return document(lang, heading, content)
}

function document(lang: Lang, title: string, content: Html): string {
  const [other, name] = lang === 'fr' ? ['en', 'English'] : ['fr', 'Français']
  const { testRail } = TEXTS[lang]
  return html`<!doctype html>
<html lang="${lang}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} – ${testRail}</title>
<link rel="icon" href="data:,">
<style>${{ html: STYLE }}</style>
</head>
<body>
<header><p>${testRail}</p><a href="?lang=${other}" lang="${other}" hreflang="${other}">${name}</a></header>
<main>
${content}
</main>
</body>
</html>
`.html
}

function form(payment: OrangePayment, lang: Lang, nowMs: number, wrong: Wrong | undefined): Html {
  const texts = TEXTS[lang]
  const amount = amountOf(payment, lang)
  const minutes = Math.max(1, Math.ceil((payment.expiresAtMs - nowMs) / MINUTE_MS))
  const number = {
    id: 'msisdn',
    label: texts.number,
    hint: texts.numberHint,
    error: wrong?.isNumberWrong ? texts.numberError : undefined,
    attributes: html`type="tel" autocomplete="tel" value="${wrong?.typed ?? ''}"`,
  }
  const otp = {
    id: 'otp',
    label: texts.otp,
    hint: texts.otpHint,
    error: wrong?.isOtpWrong ? texts.otpError : undefined,
    attributes: html`type="text" inputmode="numeric" autocomplete="one-time-code"`,
  }
  return html`<h1>${texts.heading}</h1>
${errorSummary([number, otp], texts)}
<dl>
<dt>${texts.amount}</dt><dd class="amount">${amount}</dd>
<dt>${texts.order}</dt><dd>${payment.reference}</dd>
<dt>${texts.merchantReference}</dt><dd>${payment.externalId}</dd>
</dl>
<p class="hint">${texts.validFor(minutes)}</p>
<form method="post" action="?lang=${lang}" novalidate>
${picker(texts)}
${field(number, true)}
${field(otp, number.error === undefined)}
<button class="pay" name="decision" value="pay">${texts.pay(amount)}</button>
<button name="decision" value="refuse">${texts.refuse}</button>
</form>
<a class="button" href="${payment.cancelUrl}" aria-describedby="cancel-hint">${texts.cancel}</a>
<p class="hint" id="cancel-hint">${texts.cancelHint}</p>`
}

/** For people who test: what happens next, without knowing the endings of numbers. */
function picker(texts: Texts): Html {
  const options = ORANGE_SCENARIOS.filter(({ onlyByAmount }) => onlyByAmount !== true).map(
    ({ suffix, summary }) => html`<option value="${suffix}" lang="en">${suffix}: ${summary}</option>`,
  )
  return html`<label for="scenario">${texts.scenario}</label>
<p class="hint" id="scenario-hint">${texts.scenarioHint}</p>
<select id="scenario" name="scenario" aria-describedby="scenario-hint">
<option value="">${texts.byNumber}</option>
${options}
</select>`
}

type Field = {
  readonly id: string
  readonly label: string
  readonly hint: string
  readonly error: string | undefined
  readonly attributes: Html
}

/** Focuses the first invalid field, so that a screen reader announces its error. */
function field({ id, label, hint, error, attributes }: Field, isFirstError: boolean): Html {
  const invalid = html`aria-invalid="true" aria-describedby="${id}-error ${id}-hint"`
  const valid = html`aria-describedby="${id}-hint"`
  const focus = error !== undefined && isFirstError ? 'autofocus' : ''
  return html`<label for="${id}">${label}</label>
<p class="hint" id="${id}-hint">${hint}</p>
${error === undefined ? [] : html`<p class="error" id="${id}-error">${error}</p>`}
<input id="${id}" name="${id}" ${attributes} ${error === undefined ? valid : invalid} ${focus}>`
}

function errorSummary(fields: readonly Field[], texts: Texts): Html | readonly Html[] {
  const lines = fields.flatMap(({ id, error }) =>
    error === undefined ? [] : [html`<li><a href="#${id}">${error}</a></li>`],
  )
  if (lines.length === 0) return []
  return html`<div class="errors" role="alert"><h2>${texts.errors}</h2><ul>${lines}</ul></div>`
}

function goBack({ state, returnUrl, cancelUrl }: OrangePayment, texts: Texts): Html {
  const url = state === 'PENDING' || state === 'SUCCESS' ? returnUrl : cancelUrl
  return html`<a class="button" href="${url}">${texts.back}</a>`
}

function amountOf({ amount, currency }: OrangePayment, lang: Lang): string {
  // A franc has no smaller unit. People in Cameroon write its code as FCFA.
  return `${new Intl.NumberFormat(lang).format(BigInt(amount))} ${currency === 'XAF' ? 'FCFA' : currency}`
}
