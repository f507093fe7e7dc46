/** A change of one place of the code: its exact text, which the file has once, and what stands there instead. */
export interface Edit {
  readonly file: string
  readonly find: string
  readonly replace: string
}

/** A fault that the tests of these sentences must see, each sentence by one of its own. */
export interface Mutation {
  readonly name: string
  readonly edits: readonly Edit[]
  /** Sentences, by what they say. */
  readonly seenBy: readonly string[]
}

export const mutations: readonly Mutation[] = [
  {
    name: 'a misspelt route',
    edits: [
      {
        file: 'packages/contract/src/account-holders.ts',
        find: "path: '/v1/account_holders',",
        replace: "path: '/v1/account_holder',",
      },
    ],
    seenBy: ['The routes of the table are served, and no other.'],
  },
  {
    name: 'a missing route',
    edits: [
      {
        file: 'apps/api/src/http/operations.ts',
        find: 'operation.surface === surface',
        replace: "operation.surface === surface && !operation.id.startsWith('events.')",
      },
    ],
    seenBy: ['The routes of the table are served, and no other.'],
  },
  {
    name: 'PATCH and DELETE open to a read-only token',
    edits: [
      {
        file: 'apps/api/src/v1/auth.ts',
        find: "const isRead = method === 'GET' || method === 'HEAD'",
        replace: "const isRead = method !== 'POST'",
      },
    ],
    seenBy: ['payments:write for any method that is not a read.'],
  },
  {
    name: 'a PATCH without a key',
    edits: [
      {
        file: 'apps/api/src/http/idempotency-key.ts',
        find: 'key: keyOf(request),',
        replace: "key: request.method === 'PATCH' ? request.id : keyOf(request),",
      },
    ],
    seenBy: ['Every POST (and PATCH) needs the Idempotency-Key header.'],
  },
  {
    name: 'no 405 of customers, refunds and account holders',
    edits: [
      {
        file: 'apps/api/src/http/paths.ts',
        find: 'of methodsOf) refuse',
        replace: String.raw`of methodsOf) if (!/^\/v1\/(?:customers|refunds|account_holders)/.test(url)) refuse`,
      },
    ],
    seenBy: ['A wrong method on a routed path is 405 with no JSON body.'],
  },
  {
    name: 'customer.updated written with another type',
    edits: [
      {
        file: 'packages/core/src/customers/update.ts',
        find: "newEvent('customer.updated',",
        replace: "newEvent('customer.created',",
      },
    ],
    seenBy: [
      'An update writes customer.updated when something changed.',
      'customer.updated: an update, when something changed.',
    ],
  },
  {
    name: 'customer.deleted in a second transaction',
    edits: [
      {
        file: 'packages/core/src/customers/erasure/jobs/store.ts',
        find: "    ),\n    ${recordEvent(event, { ...occasion, merchantId }, sql`done`, ['gone'])}\n    select 1`.execute(tx)",
        replace: `    )
    select 1\`.execute(tx)
  await sql\`commit\`.execute(tx)
  await sql\`begin\`.execute(tx)
  await sql\`with done as (select 1), \${recordEvent(event, { ...occasion, merchantId }, sql\`done\`)} select 1\`.execute(tx)`,
      },
    ],
    seenBy: [
      'customer.deleted is written in the same transaction.',
      'An event is written in the same transaction as the state change it reports.',
    ],
  },
  {
    name: 'charge.refunded in a second transaction',
    edits: [
      {
        file: 'packages/core/src/refunds/transitions.ts',
        find: "    ),\n    ${recordEvent(event, { ...claim, nowMs: refund.openedAtMs }, sql`r`, ['reserved'])}\n    select client.open, (select fence from k) as fence from client`.execute(writer)\n  const row = result.rows[0]\n",
        replace: `    )
    select client.open, (select fence from k) as fence from client\`.execute(writer)
  const row = result.rows[0]
  const at = { ...claim, nowMs: refund.openedAtMs }
  if (row?.fence) await sql\`with r as (select 1), \${recordEvent(event, at, sql\`r\`)} select 1\`.execute(writer)
`,
      },
    ],
    seenBy: [
      'A 201 means pending, reserved, charge.refunded emitted in the same transaction, and the rail instructed.',
      'An event is written in the same transaction as the state change it reports.',
    ],
  },
  {
    name: 'a sixteenth event type, in contract and database together',
    edits: [
      {
        file: 'packages/contract/src/events.ts',
        find: "  'invoice.voided',\n",
        replace: "  'invoice.voided',\n  'invoice.sent',\n",
      },
      {
        file: 'packages/db/migrations/0001_main_job.sql',
        find: "'invoice.paid', 'invoice.voided')",
        replace: "'invoice.paid', 'invoice.voided', 'invoice.sent')",
      },
    ],
    seenBy: ['The vocabulary is closed at fifteen types.'],
  },
  {
    name: 'no metadata in the list of payment intents',
    edits: [
      {
        file: 'packages/core/src/payment-intents/queries.ts',
        find: 'data: found.items.map(renderPaymentIntent),',
        replace: 'data: found.items.map((intent) => ({ ...renderPaymentIntent(intent), metadata: {} })),',
      },
    ],
    seenBy: ['metadata is stored and rendered on every read.'],
  },
  {
    name: 'an erased customer named on an invoice',
    edits: [
      {
        file: 'packages/core/src/invoices/store.ts',
        find: 'const from = sql`client, stamped where client.open and stamped.ok`',
        replace: 'const from = sql`client, stamped where client.open`',
      },
    ],
    seenBy: ['Naming an erased customer on a new intent, session or invoice is a 409.'],
  },
  {
    name: 'a customer named on an invoice, whose last use stays',
    edits: [
      {
        file: 'packages/core/src/invoices/store.ts',
        find: '${stampCustomer(merchantId, customer, instant(nowMs))},',
        replace: '${stampCustomer(merchantId, customer, instant(0))},',
      },
    ],
    seenBy: ['Naming a customer moves the last-used stamp forward, never backward.'],
  },
  {
    name: 'no new token on expiry',
    edits: [
      {
        file: 'packages/node-sdk/src/token-cache.ts',
        find: 'if (current === undefined || nowMs >= current.expiresAtMs) return',
        replace: 'if (current === undefined) return',
      },
    ],
    seenBy: ['On expiry or a 401, mint a new assertion.'],
  },
]
