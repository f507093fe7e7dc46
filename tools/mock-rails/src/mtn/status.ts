import type { Rails } from '../rails.ts'
import type { Handle } from '../wire/mount.ts'
import { authorise, parseReference } from './access.ts'
import { walletError } from './answers.ts'
import { renderPayment } from './payment.ts'
import { QUERIES_SPOILED } from './scenarios.ts'
import type { Flow } from './submit.ts'

export function handleStatus(rails: Rails, flow: Flow): Handle {
  return (request) => {
    const user = authorise(request, rails, flow.product)
    if ('refusal' in user) return user.refusal
    const reference = parseReference(request.params['reference'])
    if ('refusal' in reference) return reference.refusal
    const payment = flow.payments.find(reference.ok)
    if (payment === undefined) return walletError('RESOURCE_NOT_FOUND')
    payment.statusQueries += 1
    const { firstQueries } = payment.scenario
    if (firstQueries !== undefined && payment.statusQueries <= QUERIES_SPOILED) {
      return walletError(firstQueries === 'http_500' ? 'INTERNAL_PROCESSING_ERROR' : 'RESOURCE_NOT_FOUND')
    }
    return { status: 200, body: renderPayment(payment, flow.party, rails.settings.mtn()) }
  }
}
