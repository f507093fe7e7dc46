import type { AuditAction, AuditEntry, StaffIntentDetail } from '@merchant-payments/contract'

/** Words of the API that read better in another form. */
const words: Readonly<Record<string, string>> = {
  requires_payment_method: 'Waiting for the payer',
  live: 'At the rail',
  submitting: 'Being sent',
  unsent: 'Not sent yet',
  sent: 'Sent, not confirmed',
  dead_lettered: 'Stopped by a fault',
  mismatch: 'Amount differs',
}

/** Turns a word of the API into readable text. A name with a point, such as an event's type, stays as it is written. */
export const wordOf = (word: string): string => {
  const known = words[word]
  if (known !== undefined) return known
  if (word.includes('.')) return word
  const text = word.replaceAll('_', ' ')
  return text.charAt(0).toUpperCase() + text.slice(1)
}

const actions: Readonly<Record<AuditAction, string>> = {
  'payment_intent.cancel': 'Payment canceled',
  'refund.create': 'Refund made',
  'charge.query': 'Rail asked about a charge',
  'charge.resolve': 'Charge resolved',
  'charge.return': 'Duplicate returned',
  'approval.request': 'Approval requested',
  'approval.approve': 'Request approved',
  'approval.decline': 'Request declined',
  'approval.lapse': 'Request ended without a change',
  'delivery.replay': 'Delivery sent again',
  'fanout.retry': 'Fan-out tried again',
  'customer.erase': 'Customer erased',
  'invoice.void': 'Invoice voided',
  'invoice.mark_uncollectible': 'Invoice marked uncollectible',
  'merchant_client.disable': 'Merchant disabled',
  'merchant_client.enable': 'Merchant enabled',
  'rail_finding.record': 'Unknown reference recorded',
  'customer.view': 'Customer opened',
  'number.look_up': 'Number looked up',
}

export const actionOf = (action: AuditAction): string => actions[action]

/** What a staff member did. A ruling is named with its outcome. */
export const deedOf = ({ action, after }: Pick<AuditEntry, 'action' | 'after'>): string => {
  if (action !== 'charge.resolve') return actions[action]
  return after['ruling'] === 'succeeded' ? 'Charge marked succeeded' : 'Charge marked failed'
}

type Entry = StaffIntentDetail['timeline'][number]

/** A step in the life of a payment. */
export function stepOf({ source, text, about }: Entry, railNames: ReadonlyMap<string, string>): string {
  const on = railNames.get(about ?? '') ?? about ?? ''
  if (source === 'intent') return text === 'created' ? 'Payment created' : 'Payment canceled'
  if (source === 'rail') return text === 'asked' ? `${on} was last asked` : `${on} accepted the request`
  if (source === 'charge') return text === 'opened' ? `Charge opened on ${on}` : `Charge: ${wordOf(text)}`
  if (source === 'delivery') return text === 'created' ? `Delivery to ${on}` : `${wordOf(text)}: ${on}`
  if (source === 'staff') return text in actions ? actionOf(text as AuditAction) : text
  if (source === 'return') return `Return of ${on}: ${wordOf(text)}`
  if (source === 'refund') return `Refund: ${wordOf(text)}`
  return about === null ? text : `${text} (${wordOf(about)})`
}
