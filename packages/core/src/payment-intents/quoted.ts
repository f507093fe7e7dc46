import type { CustomerId } from '../base/ids.ts'
import type { Transition } from './transitions.ts'
import { redactBody, redactText } from '../base/redact.ts'

/** The customer who may be named in the rail's texts that a transition stores. Null if it stores none. */
export function payerQuoted({ intent, change, charge }: Transition): CustomerId | null {
  const { customerId, lastPaymentError } = change?.after ?? intent
  const { railCode = null, railMessage = null } = charge?.after ?? {}
  return lastPaymentError !== null || railCode !== null || railMessage !== null ? customerId : null
}

export function redactTransition(transition: Transition): Transition {
  const { change, charge, key } = transition
  return {
    ...transition,
    change: change && redactChange(change),
    charge: charge && { ...charge, after: { ...charge.after, ...redactWords(charge.after) } },
    key:
      key === null || key.kind === 'release'
        ? key
        : { ...key, answer: { ...key.answer, body: redactBody(key.answer.body) } },
  }
}

function redactChange({ after, event }: NonNullable<Transition['change']>): Transition['change'] {
  const { lastPaymentError: error } = after
  const lastPaymentError = error && {
    ...error,
    declineCode: redactText(error.declineCode),
    message: redactText(error.message),
  }
  return {
    after: { ...after, lastPaymentError },
    event: event && { ...event, body: redactBody(event.body) },
  }
}

const redactWords = ({ railCode, railMessage }: { railCode: string | null; railMessage: string | null }) => ({
  railCode: redactText(railCode),
  railMessage: redactText(railMessage),
})
