import type {
  AttentionAlert,
  AuditAction,
  AuditEntry,
  StaffIntentDetail,
  Statement,
} from '@merchant-payments/contract'
import { i18n } from '../i18n.ts'

const ofStatements: Readonly<Record<Statement['status'], string>> = {
  reading: i18n.t('Being uploaded'),
  matching: i18n.t('Being compared'),
  matched: i18n.t('Compared'),
  closed: i18n.t('Closed'),
  replaced: i18n.t('Replaced'),
}

/** The API's words in the reader's language. The test lists words of filters that are missing here. */
const words: Readonly<Record<string, string>> = {
  requires_payment_method: i18n.t('Not paid yet'),
  processing: i18n.t('Processing'),
  succeeded: i18n.t('Succeeded'),
  canceled: i18n.t('Canceled'),
  live: i18n.t('At the rail'),
  submitting: i18n.t('Being sent'),
  unconfirmed: i18n.t('Not confirmed'),
  duplicate: i18n.t('Duplicate'),
  failed: i18n.t('Failed'),
  abandoned: i18n.t('Abandoned'),
  open: i18n.t('Open'),
  stuck: i18n.t('Stuck'),
  unsent: i18n.t('Not sent yet'),
  sent: i18n.t('Sent, not confirmed'),
  accepted: i18n.t('Accepted by the rail'),
  refused: i18n.t('Refused'),
  waiting: i18n.t('Waiting'),
  resting: i18n.t('Stopped'),
  pending: i18n.t('Pending'),
  exhausted: i18n.t('Exhausted'),
  mismatch: i18n.t('Amount differs'),
  dead_lettered: i18n.t('Stopped by a fault'),
  requires_action: i18n.t('Requires action'),
  draft: i18n.t('Draft'),
  paid: i18n.t('Paid'),
  void: i18n.t('Voided'),
  uncollectible: i18n.t('Uncollectible'),
  insufficient_funds: i18n.t('Too little money'),
  insufficient_funds_or_limit: i18n.t('Too little money, or a limit'),
  payer_declined: i18n.t('Refused by the payer'),
  approval_timeout: i18n.t('Not approved in time'),
  redirect_expired: i18n.t('Payment page expired'),
  payer_not_found: i18n.t('No account with this number'),
  payer_inactive: i18n.t('Account blocked or inactive'),
  limit_reached: i18n.t('Limit of the account reached'),
  payee_refused: i18n.t('Our account was refused'),
  rail_misconfigured: i18n.t('Our configuration was refused'),
  rail_processing_error: i18n.t('Error at the operator'),
  rail_unavailable: i18n.t('Operator unavailable'),
  not_accepted: i18n.t('Request not received'),
  approved: i18n.t('Approved'),
  declined: i18n.t('Declined'),
  expired: i18n.t('Expired'),
  obsolete: i18n.t('Obsolete'),
  enabled: i18n.t('Enabled'),
  disabled: i18n.t('Disabled'),
  done: i18n.t('Done'),
  acknowledged: i18n.t('In hand'),
  running: i18n.t('Running'),
  no: i18n.t('For me'),
  yes: i18n.t('For all'),
  finished: i18n.t('Finished'),
  resolved: i18n.t('Resolved'),
  complete: i18n.t('Complete'),
  payment_intent: i18n.t('Payment'),
  charge: i18n.t('Charge'),
  charge_return: i18n.t('Return'),
  refund: i18n.t('Refund'),
  event: i18n.t('Event'),
  delivery: i18n.t('Delivery'),
  customer: i18n.t('Customer'),
  invoice: i18n.t('Invoice'),
  checkout_session: i18n.t('Checkout session'),
  intent: i18n.t('Payment'),
  rail: i18n.t('Rail'),
  return: i18n.t('Return'),
  staff: i18n.t('Staff'),
  alert: i18n.t('Alert'),
  statement: i18n.t('Statement'),
  raised: i18n.t('Raised'),
  uploaded: i18n.t('Uploaded'),
  other_charge: i18n.t('Other charge'),
  reported_amount: i18n.t('Reported amount'),
  reported_currency: i18n.t('Reported currency'),
  rail_code: i18n.t('Code of the rail'),
  ours_only: i18n.t('Only ours'),
  theirs_only: i18n.t('Only in the statement'),
  amount_differs: i18n.t('Amount differs'),
  ...ofStatements,
  payout: i18n.t('Paid out'),
  '5m': i18n.t('Five minutes'),
  hour: i18n.t('Hour'),
  day: i18n.t('Day'),
  payment_intents: i18n.t('Payments'),
  charges: i18n.t('Charges'),
  refunds: i18n.t('Refunds'),
  finance_summary: i18n.t('Sums of each day'),
  viewer: i18n.t('Viewer'),
  operator: i18n.t('Operator'),
  admin: i18n.t('Administrator'),
}

/** Whether a word has a translation. Codes of rails have none. */
export const isKnown = (word: string): boolean => word in words

/** Turns a word of the API into readable text. A name with a point, such as an event's type, stays as it is written. */
export const wordOf = (word: string): string => {
  const known = words[word]
  if (known !== undefined) return known
  if (word.includes('.')) return word
  const text = word.replaceAll('_', ' ')
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/** A word of the API among texts of its own. A newer api may have words that the page does not know. */
export const textIn = (texts: Readonly<Record<string, string>>, word: string): string =>
  texts[word] ?? wordOf(word)

/** States of an invoice. A charge and an alert that are open wait for something else. */
const ofInvoices: Readonly<Record<string, string>> = {
  open: i18n.t('Awaiting payment'),
  paid: i18n.t('Paid in full'),
}

export const invoiceWordOf = (status: string): string => textIn(ofInvoices, status)

const actions: Readonly<Record<AuditAction, string>> = {
  'payment_intent.cancel': i18n.t('Payment canceled'),
  'refund.create': i18n.t('Refund made'),
  'charge.query': i18n.t('Rail asked about a charge'),
  'charge.resolve': i18n.t('Charge resolved'),
  'charge.return': i18n.t('Duplicate returned'),
  'approval.request': i18n.t('Approval requested'),
  'approval.approve': i18n.t('Request approved'),
  'approval.decline': i18n.t('Request declined'),
  'approval.lapse': i18n.t('Request ended without a change'),
  'delivery.replay': i18n.t('Delivery sent again'),
  'fanout.retry': i18n.t('Fan-out tried again'),
  'customer.erase': i18n.t('Customer erased'),
  'invoice.void': i18n.t('Invoice voided'),
  'invoice.mark_uncollectible': i18n.t('Invoice marked uncollectible'),
  'merchant_client.disable': i18n.t('Merchant disabled'),
  'merchant_client.enable': i18n.t('Merchant enabled'),
  'merchant_client.move': i18n.t('Merchant moved between cells'),
  'attention.acknowledge': i18n.t('Alert taken'),
  'attention.resolve': i18n.t('Alert resolved'),
  'bulk_job.create': i18n.t('Bulk action started'),
  'bulk_job.cancel': i18n.t('Bulk action ended'),
  'view.save': i18n.t('View saved'),
  'view.remove': i18n.t('View removed'),
  'rail_finding.record': i18n.t('Unknown reference recorded'),
  'rail_finding.close': i18n.t('Unknown reference closed'),
  'statement.create': i18n.t('Statement uploaded'),
  'statement.close': i18n.t('Day closed'),
  'statement.reopen': i18n.t('Day reopened'),
  'customer.view': i18n.t('Customer opened'),
  'number.look_up': i18n.t('Number looked up'),
  'export.create': i18n.t('File exported'),
  'person.look_up': i18n.t('Name or e-mail looked up'),
}

const alerts: Readonly<Record<AttentionAlert, string>> = {
  charge_stuck: i18n.t('The rail does not decide a charge'),
  charge_amount_mismatch: i18n.t('The rail reports another amount'),
  charge_duplicate_success: i18n.t('A payment was paid twice'),
  invoice_paid_twice: i18n.t('Money arrived for a paid or voided invoice'),
  charge_proof_lost: i18n.t('The transaction of a ruling belongs to another charge'),
  charge_vanished: i18n.t('The rail no longer knows a charge'),
  charge_rests: i18n.t('The outcome of a charge could not be saved'),
  refund_stuck: i18n.t('The rail does not decide a refund'),
  refund_rests: i18n.t('The outcome of a refund could not be saved'),
  refund_paid_after_failure: i18n.t('A failed refund was paid after all'),
  refund_amount_mismatch: i18n.t('The rail paid a refund with another amount'),
  rail_unknown_status: i18n.t('The rail answered with an unknown status'),
  rail_misconfigured: i18n.t('The rail refuses our configuration'),
  rail_adapter_fault: i18n.t('The rail’s answer could not be read'),
  webhook_exhausted: i18n.t('A webhook was not delivered'),
  webhook_endpoint_gone: i18n.t('A webhook’s endpoint is no longer configured'),
  delivery_dead_lettered: i18n.t('A webhook was stopped by a fault of ours'),
  fanout_failed: i18n.t('An event was not fanned out'),
}

export const alertOf = (alert: AttentionAlert): string => textIn(alerts, alert)

export const actionOf = (action: AuditAction): string => textIn(actions, action)

/** What a staff member did. A ruling is named with its outcome, and the beginning of an upload as such. The list of customers shows persons without a look-up. */
export const deedOf = ({
  action,
  target,
  after,
}: Pick<AuditEntry, 'action' | 'target' | 'after'>): string => {
  if (action === 'person.look_up' && target === 'customers') return i18n.t('List of customers opened')
  if (action === 'statement.create' && after['status'] === 'reading')
    return i18n.t('Upload of a statement started')
  if (action !== 'charge.resolve') return actionOf(action)
  return after['ruling'] === 'succeeded' ? i18n.t('Charge marked succeeded') : i18n.t('Charge marked failed')
}

type Entry = StaffIntentDetail['timeline'][number]

/** A step in the life of a payment. */
export function stepOf({ source, text, about }: Entry, railNames: ReadonlyMap<string, string>): string {
  const on = railNames.get(about ?? '') ?? about ?? ''
  const word = wordOf(text)
  if (source === 'intent') return text === 'created' ? i18n.t('Payment created') : i18n.t('Payment canceled')
  if (source === 'rail')
    return text === 'asked'
      ? i18n.t('{on} was last asked', { on })
      : i18n.t('{on} accepted the request', { on })
  if (source === 'charge')
    return text === 'opened' ? i18n.t('Charge opened on {on}', { on }) : i18n.t('Charge: {word}', { word })
  if (source === 'delivery')
    return text === 'created'
      ? i18n.t('Delivery to {on}', { on })
      : i18n.t('Delivery to {on}: {word}', { on, word })
  if (source === 'staff') return actionOf(text as AuditAction)
  if (source === 'return') return i18n.t('Return of {on} created', { on })
  if (source === 'refund') return i18n.t('Refund created')
  return about === null ? text : `${text} (${wordOf(about)})`
}
