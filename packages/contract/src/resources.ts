/** The nouns of the API: a tag of the documents, and an interface of the SDK. */
export interface Resource {
  readonly tag: string
  readonly description: string
}

export const resources: readonly Resource[] = [
  {
    tag: 'paymentIntents',
    description: 'Payments and their life: create, confirm against a rail, read until settled (spec 3.1).',
  },
  {
    tag: 'checkout.sessions',
    description:
      'Pages on which payers pay. A session belongs to one payment intent, whose events tell the outcome.',
  },
  {
    tag: 'customers',
    description: 'The people who pay a merchant. Neither phone nor email is unique (spec 2.2).',
  },
  {
    tag: 'refunds',
    description:
      'Money paid back to a mobile-money account, in part or in full. A refund is `pending` once its rail is instructed.',
  },
  {
    tag: 'accountHolders',
    description: 'Name checks of mobile-money accounts. Nothing is stored (spec 2.8).',
  },
  {
    tag: 'invoices',
    description:
      'Bills and their life: a draft with lines is finalized, then paid. An operation that the invoice’s state forbids is a 409 whose code names that state.',
  },
  {
    tag: 'invoiceItems',
    description: 'The lines of drafts. There is no list of them: an invoice shows its own.',
  },
  {
    tag: 'events',
    description:
      'What happened, for catching up when webhooks were missed. An event is written with its state change and never changes, except by an erasure.',
  },
  { tag: 'me', description: 'The staff member who is signed in.' },
  { tag: 'overview', description: 'How the deployment stands.' },
  { tag: 'lookup', description: 'Where an id, a rail’s reference or a phone number belongs.' },
  { tag: 'charges', description: 'Tries to collect a payment on a rail.' },
  { tag: 'stuckCharges', description: 'Charges that have waited too long for their rail.' },
  { tag: 'deliveries', description: 'Events on their way to endpoints.' },
  { tag: 'fanouts', description: 'Events on their way to becoming deliveries.' },
  { tag: 'merchantClients', description: 'The merchants of the deployment.' },
  { tag: 'rails', description: 'The ways to move money that the deployment enables.' },
  { tag: 'approvalRequests', description: 'Changes by staff that wait for a second staff member.' },
  { tag: 'auditEntries', description: 'What staff changed, and at whom they looked.' },
]
