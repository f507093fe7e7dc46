import type { Rails } from '../rails.ts'
import type { Answer, Checked } from '../wire/answer.ts'
import { headerOf } from '../wire/mount.ts'
import type { Handle, WireRequest } from '../wire/mount.ts'
import { authorise } from './access.ts'
import { announceForged } from './announce.ts'
import { describedError, orangeError } from './answers.ts'
import { parseWebPayment } from './payment-body.ts'
import type { OrangeDraft, OrangeEnvironment, OrangePayment } from './payment.ts'
import { numberOf, scenarioOfAmount } from './scenarios.ts'
import type { OrangeScenario } from './scenarios.ts'

const CURRENCIES = { dev: 'OUV', cm: 'XAF' } as const satisfies Record<OrangeEnvironment, string>

export function handleSubmit(rails: Rails, environment: OrangeEnvironment): Handle {
  return async (request) => {
    const draft = parseSubmit(rails, environment, request)
    if ('refusal' in draft) return draft.refusal
    const chosen = scenarioOfAmount(draft.ok.amount)
    if (chosen?.neverAccepted) return { status: 0, transmission: 'reset' }
    const payment = rails.orange.payments.open(draft.ok, chosen)
    announceForged(rails, payment)
    if (chosen?.notifiesFirst) await rails.orange.payments.confirm(payment, numberOf(chosen), chosen)
    return answerOf(payment, chosen)
  }
}

function answerOf(payment: OrangePayment, chosen: OrangeScenario | undefined): Answer {
  const { payToken, paymentUrl, notifToken } = payment
  const accepted: Answer = {
    status: 201,
    body: {
      status: 201,
      message: 'OK',
      pay_token: payToken,
      payment_url: paymentUrl,
      notif_token: notifToken,
    },
  }
  switch (chosen?.submitAnswer) {
    case 'reset':
    case 'hang':
      return { ...accepted, transmission: chosen.submitAnswer }
    case 'http_500':
      return orangeError('INTERNAL', 'accepted nevertheless: scenario 483')
    case undefined:
      return accepted
  }
}

function parseSubmit(
  rails: Rails,
  environment: OrangeEnvironment,
  request: WireRequest,
): Checked<OrangeDraft> {
  const settings = rails.settings.orange()
  const json = authorise(request, rails)
  if ('refusal' in json) return json
  const body = parseWebPayment(json.ok, settings.strictUrls)
  if ('refusal' in body) return body
  const { merchant_key: key, currency, order_id: reference, amount } = body.ok
  if (currency !== CURRENCIES[environment]) {
    return { refusal: describedError('INVALID_FIELD', `currency: not ${CURRENCIES[environment]}`) }
  }
  if (key !== settings.merchantKey) return { refusal: orangeError('DENIED', 'wrong merchant_key') }
  // An order_id stays taken even after a failure.
  if (rails.orange.payments.find(reference) !== undefined) {
    return { refusal: describedError('INVALID_FIELD', 'order_id: already used') }
  }
  return {
    ok: {
      reference,
      externalId: body.ok.reference,
      environment,
      amount: `${amount}`,
      currency,
      lang: body.ok.lang,
      returnUrl: body.ok.return_url,
      cancelUrl: body.ok.cancel_url,
      callbackUrl: body.ok.notif_url,
      // The payer reaches the page under the host name that the merchant used.
      origin: `http://${headerOf(request.headers, 'host') ?? 'localhost'}`,
    },
  }
}
