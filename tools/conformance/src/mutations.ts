import { api, core, sdkUnit, type TestRef } from './test-ref.ts'

/** A change of one place in the code: a text that the file has exactly once, and its replacement. */
export interface Edit {
  readonly file: string
  readonly find: string
  readonly replace: string
}

/** A fault, and the tests that must detect it. In each of them at least one case must fail. */
export interface Mutation {
  readonly name: string
  readonly edits: readonly Edit[]
  readonly seenBy: readonly TestRef[]
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
    seenBy: [api('http/every-route', 'the routes of /v1 are those of the specification, and no other')],
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
    seenBy: [api('http/every-route', 'the routes of /v1 are those of the specification, and no other')],
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
    seenBy: [api('v1/authentication', '%s is refused with only the reading scope')],
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
    seenBy: [api('v1/idempotency', '%s is refused on every POST and PATCH')],
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
    seenBy: [
      api('http/routing', '$method $path'),
      api('http/every-route', '$path answers it, with Allow, to each method that it has not'),
    ],
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
    seenBy: [api('v1/customers/update', '%s, and nothing else changes')],
  },
  {
    name: 'customer.deleted in a second transaction',
    edits: [
      {
        file: 'packages/core/src/customers/erasure/jobs-store.ts',
        find: "    ),\n    ${recordEvent(event, { ...occasion, merchantId }, sql`done`, ['gone'])}\n    select 1`.execute(tx)",
        replace: `    )
    select 1\`.execute(tx)
  await sql\`commit\`.execute(tx)
  await sql\`begin\`.execute(tx)
  await sql\`with done as (select 1), \${recordEvent(event, { ...occasion, merchantId }, sql\`done\`)} select 1\`.execute(tx)`,
      },
    ],
    seenBy: [core('erasure-steps', 'the removal and its event are one transaction')],
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
    seenBy: [core('refund-create', 'the event and the key in one transaction')],
  },
  {
    name: 'a sixteenth event type, in contract and database together',
    edits: [
      {
        file: 'packages/contract/src/words.ts',
        find: "  'invoice.voided',\n",
        replace: "  'invoice.voided',\n  'invoice.sent',\n",
      },
      {
        file: 'packages/db/migrations/0001_main_job.sql',
        find: "'invoice.paid', 'invoice.voided')",
        replace: "'invoice.paid', 'invoice.voided', 'invoice.sent')",
      },
    ],
    seenBy: [
      core(
        'lifecycles',
        'the database and the code know the fifteen event types of the specification and no other',
      ),
    ],
  },
  {
    name: 'no metadata in the list of payment intents',
    edits: [
      {
        file: 'packages/core/src/payment-intents/queries.ts',
        find: '    renderPaymentIntent,\n  )',
        replace: '    (intent) => ({ ...renderPaymentIntent(intent), metadata: {} }),\n  )',
      },
    ],
    seenBy: [api('v1/payment-intents/list', 'ten intents, newest first, without their secrets')],
  },
  {
    name: 'an erased customer named on an invoice',
    edits: [
      {
        file: 'packages/core/src/commit/creates.ts',
        find: 'u.id = p.customer and u.erased_at is null',
        replace: 'u.id = p.customer',
      },
    ],
    seenBy: [api('v1/invoices/create', 'an erased customer is refused')],
  },
  {
    name: 'a customer named on an invoice, whose last use stays',
    edits: [
      {
        file: 'packages/core/src/commit/creates.ts',
        find: "[stampCustomers(value('now'))]",
        replace: "[stampCustomers(sql`'epoch'`)]",
      },
    ],
    seenBy: [api('v1/invoices/create', 'the customer counts as used')],
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
    seenBy: [sdkUnit('token-cache', 'serves no token after 870 s')],
  },
]
