import type { CustomerId } from '../base/ids.ts'
import type { Transition } from './transitions.ts'
import { redactBody, redactText } from '../base/redact.ts'

/** The customer who may be named in the rail's texts that a transition stores. Null if it stores none. */
export function payerQuoted({ intent, charge }: Transition): CustomerId | null {
  const { customerId, lastPaymentError } = 'after' in intent ? intent.after : intent
  const { railCode = null, railMessage = null } = charge?.after ?? {}
  return lastPaymentError !== null || railCode !== null || railMessage !== null ? customerId : null
}

export const redactTransition = ({ intent, charge, key }: Transition): Transition => ({
  intent: 'after' in intent ? redactChange(intent) : intent,
  charge: charge && { before: charge.before, after: { ...charge.after, ...redactWords(charge.after) } },
  key:
    key === null || key.kind === 'release'
      ? key
      : { ...key, answer: { ...key.answer, body: redactBody(key.answer.body) } },
})

function redactChange({ before, after, event }: Extract<Transition['intent'], { after: unknown }>) {
  const { lastPaymentError: error } = after
  const lastPaymentError = error && {
    ...error,
    declineCode: redactText(error.declineCode),
    message: redactText(error.message),
  }
  return {
    before,
    after: { ...after, lastPaymentError },
    event: event && { ...event, body: redactBody(event.body) },
  }
}

const redactWords = ({ railCode, railMessage }: { railCode: string | null; railMessage: string | null }) => ({
  railCode: redactText(railCode),
  railMessage: redactText(railMessage),
})
