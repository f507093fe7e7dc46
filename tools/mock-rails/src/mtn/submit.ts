import type { Rails } from '../rails.ts'
import type { Answer, Checked } from '../wire/answer.ts'
import { headerOf } from '../wire/mount.ts'
import type { Handle, WireRequest } from '../wire/mount.ts'
import { authorise, parseCallbackUrl, parseReference } from './access.ts'
import { announceForged } from './announce.ts'
import { badRequest, walletError } from './answers.ts'
import type { Product } from './credentials.ts'
import { parsePaymentBody } from './payment-body.ts'
import type { Party, Payment, PaymentDraft } from './payment.ts'
import type { Payments } from './payments.ts'
import type { Scenario } from './scenarios.ts'

/** All differences between a request to pay and a transfer. */
export type Flow = {
  readonly product: Product
  readonly party: Party
  readonly payments: Payments
  readonly scenarioOf: (msisdn: string) => Scenario
  readonly onAccepted: (payment: Payment) => void
}

// A shorter number has no country code, so no wallet is found.
const MIN_MSISDN_LENGTH = 11

const accepted: Answer = { status: 202 }

export function handleSubmit(rails: Rails, flow: Flow): Handle {
  return (request) => {
    const draft = parseSubmit(rails, flow, request)
    if ('refusal' in draft) return draft.refusal
    const { reference, currency, msisdn } = draft.ok
    // A reference stays taken even after a failure. No document says that it may be used again.
    if (flow.payments.find(reference) !== undefined) return walletError('RESOURCE_ALREADY_EXIST')
    if (currency !== rails.settings.mtn().currency) return walletError('INVALID_CURRENCY')
    if (msisdn.length < MIN_MSISDN_LENGTH) {
      return walletError(flow.party === 'payer' ? 'PAYER_NOT_FOUND' : 'PAYEE_NOT_FOUND', 'no country code')
    }
    const scenario = flow.scenarioOf(msisdn)
    if (scenario.neverAccepted) return { status: 0, transmission: 'reset' }
    if (scenario.refusal !== undefined && rails.settings.mtn().refusalsAt === 'submit') {
      return walletError(scenario.refusal)
    }
    return accept(rails, flow, draft.ok, scenario)
  }
}

function accept(rails: Rails, flow: Flow, draft: PaymentDraft, scenario: Scenario): Answer | Promise<Answer> {
  const payment = flow.payments.open(draft, scenario)
  flow.onAccepted(payment)
  announceForged({ settings: rails.settings, callbacks: rails.callbacks }, payment, flow.party)
  const { submitAnswer } = scenario
  if (submitAnswer === undefined) return accepted
  switch (submitAnswer) {
    case 'reset':
    case 'hang':
      return { ...accepted, transmission: submitAnswer }
    case 'http_500':
      return walletError('INTERNAL_PROCESSING_ERROR', 'accepted nevertheless: scenario 483')
    case 'after_callback':
      return answerAfterCallback(flow.payments, payment)
  }
}

async function answerAfterCallback(payments: Payments, payment: Payment): Promise<Answer> {
  await payments.settle(payment, { state: 'SUCCESSFUL' })
  return accepted
}

function parseSubmit(rails: Rails, flow: Flow, request: WireRequest): Checked<PaymentDraft> {
  const user = authorise(request, rails, flow.product)
  if ('refusal' in user) return user
  const reference = parseReference(headerOf(request.headers, 'x-reference-id'))
  if ('refusal' in reference) return reference
  if (!headerOf(request.headers, 'content-type')?.startsWith('application/json')) {
    return { refusal: badRequest('Content-Type is not application/json') }
  }
  const body = parsePaymentBody(request.body, flow.party)
  if ('refusal' in body) return body
  const callbackUrl = parseCallbackUrl(request, user.ok)
  if ('refusal' in callbackUrl) return callbackUrl
  return { ok: { ...body.ok, reference: reference.ok, callbackUrl: callbackUrl.ok } }
}
