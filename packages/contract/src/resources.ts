/** A resource of the API: a tag in the documents, and an interface of the SDK. */
export interface Resource {
  readonly tag: string
  /** The title in documents. */
  readonly title: string
  readonly description: string
}

export const resources: readonly Resource[] = [
  {
    tag: 'paymentIntents',
    title: 'Payment intents',
    description: 'Payments: create, confirm on a rail, read until settled (spec 3.1).',
  },
  {
    tag: 'checkout.sessions',
    title: 'Checkout sessions',
    description:
      'Pages on which payers pay. A session belongs to one payment intent, whose events report the outcome.',
  },
  {
    tag: 'customers',
    title: 'Customers',
    description: 'The people who pay a merchant. Neither phone nor email is unique (spec 2.2).',
  },
  {
    tag: 'refunds',
    title: 'Refunds',
    description:
      'Refunds to a mobile-money account, in part or in full. A refund is `pending` once its rail is instructed.',
  },
  {
    tag: 'accountHolders',
    title: 'Account holders',
    description: 'Name checks of mobile-money accounts. Nothing is stored (spec 2.8).',
  },
  {
    tag: 'invoices',
    title: 'Invoices',
    description:
      'Bills: a draft with lines is finalized, then paid. An operation that the invoice’s state forbids is a 409 whose code names that state.',
  },
  {
    tag: 'invoiceItems',
    title: 'Invoice items',
    description: 'The lines of invoices. There is no list of them, because an invoice contains its lines.',
  },
  {
    tag: 'events',
    title: 'Events',
    description:
      'State changes, to catch up after missed webhooks. An event is written with its state change and never changes, except by an erasure.',
  },
  { tag: 'me', title: 'Session', description: 'The staff member who is signed in.' },
  { tag: 'overview', title: 'Overview', description: 'The state of the deployment.' },
  {
    tag: 'lookup',
    title: 'Look-up',
    description: 'Objects by id, by a rail’s reference or by phone number.',
  },
  {
    tag: 'attentionItems',
    title: 'Needs attention',
    description: 'Alerts about an object, which a person handles.',
  },
  { tag: 'charges', title: 'Charges', description: 'Attempts to collect a payment on a rail.' },
  { tag: 'deliveries', title: 'Deliveries', description: 'Events on their way to endpoints.' },
  { tag: 'fanouts', title: 'Fan-outs', description: 'Fan-outs of events to deliveries.' },
  {
    tag: 'exports',
    title: 'Exports',
    description: 'Files of payments, charges, refunds and days, as CSV or XLSX.',
  },
  {
    tag: 'statements',
    title: 'Reconciliation',
    description: 'Statements of operators, compared with the ledger by day.',
  },
  { tag: 'analytics', title: 'Analytics', description: 'What became of charges over time.' },
  {
    tag: 'railHealth',
    title: 'Rail health',
    description: 'What became of each rail’s charges of the last hour.',
  },
  {
    tag: 'railFindings',
    title: 'Findings',
    description: 'References that only their rail knows, after a restore.',
  },
  { tag: 'finance', title: 'Finance', description: 'What was collected and paid back, by day.' },
  { tag: 'merchantClients', title: 'Merchants', description: 'The merchants of the deployment.' },
  { tag: 'rails', title: 'Rails', description: 'The ways to move money that the deployment enables.' },
  {
    tag: 'approvalRequests',
    title: 'Requests for approval',
    description: 'Changes by staff that wait for a second staff member.',
  },
  { tag: 'auditEntries', title: 'Audit log', description: 'Changes and reads of personal data by staff.' },
]
