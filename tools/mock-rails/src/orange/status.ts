import type { Rails } from '../rails.ts'
import type { Handle } from '../wire/mount.ts'
import { authorise } from './access.ts'
import { orangeError } from './answers.ts'
import { parseStatusQuestion } from './payment-body.ts'
import type { StatusQuestion } from './payment-body.ts'
import { renderStatus } from './payment.ts'
import type { OrangeEnvironment, OrangePayment } from './payment.ts'

export function handleStatus(rails: Rails, environment: OrangeEnvironment): Handle {
  return (request) => {
    const json = authorise(request, rails)
    if ('refusal' in json) return json.refusal
    const question = parseStatusQuestion(json.ok)
    if ('refusal' in question) return question.refusal
    const payment = rails.orange.payments.findByToken(question.ok.pay_token)
    if (payment === undefined) return orangeError('NOT_FOUND', 'unknown pay_token')
    const mismatch = mismatchOf(payment, question.ok, environment)
    if (mismatch !== undefined) return orangeError('NOT_FOUND', mismatch)
    payment.statusQueries += 1
    if (payment.queriesToSpoil > 0) {
      payment.queriesToSpoil -= 1
      return orangeError(payment.scenario.firstQueries === 'http_500' ? 'INTERNAL' : 'NOT_FOUND')
    }
    return { status: 201, body: renderStatus(payment) }
  }
}

/** The three keys must belong to one payment, queried under the path segment of its submit. */
function mismatchOf(
  payment: OrangePayment,
  question: StatusQuestion,
  environment: OrangeEnvironment,
): string | undefined {
  if (payment.environment !== environment) return `the payment is of ${payment.environment}`
  if (payment.reference !== question.order_id) return 'order_id is not that of the pay_token'
  if (payment.amount !== `${question.amount}`) return 'amount is not that of the pay_token'
  return undefined
}
