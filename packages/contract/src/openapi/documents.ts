import * as contract from '../index.ts'
import type { Operation } from '../operation.ts'
import { publishedDocument } from '../published-text.ts'
import { resources } from '../resources.ts'
import { withTheRest } from './beside.ts'
import { openApiOf } from './document.ts'
import { withOpenAnswers } from './open-answers.ts'
import type { JsonSchema } from './schema.ts'

// Sorted, because the order of a module's exports is not guaranteed.
const declared = Object.entries<unknown>(contract).sort(([a], [b]) => (a < b ? -1 : 1))

/** Every declared route of the service. */
export const operations: readonly Operation[] = declared
  .map(([, value]) => value)
  .filter(contract.isOperation)
  .sort((a, b) => (`${a.path} ${a.method}` < `${b.path} ${b.method}` ? -1 : 1))

const v1 = (): JsonSchema =>
  withTheRest(
    openApiOf({
      title: 'Merchant Payments',
      description:
        'Bodies are forms with bracket nesting; answers are JSON. Amounts are integers in minor units of their currency, and instants are Unix seconds. There is no 402: if a rail declines a payment, the answer is a 200 whose payment intent has `last_payment_error` set. Answers and webhooks can have members and words that are newer than this document: accept those that you do not know.',
      surface: 'v1',
      operations,
      resources,
      security: {
        schemes: {
          oauth: {
            type: 'oauth2',
            description: 'Client credentials with private_key_jwt: an RS256 assertion, no shared secret.',
            flows: {
              clientCredentials: {
                tokenUrl: '/v1/oauth/token',
                scopes: { 'payments:read': 'Read.', 'payments:write': 'Read and write.' },
              },
            },
          },
        },
        requiredBy: ({ method }) => [
          ...(method === 'GET' ? [{ oauth: ['payments:read'] }] : []),
          { oauth: ['payments:write'] },
        ],
      },
    }),
  )

const browser = (): JsonSchema =>
  openApiOf({
    title: 'Merchant Payments, for payers',
    description:
      'The API for a payer’s device. A wrong key, a wrong secret and an unknown id have the same answer: 404.',
    surface: 'browser',
    operations,
    resources,
    security: {
      schemes: {
        publishableKey: {
          type: 'apiKey',
          in: 'header',
          name: 'Publishable-Key',
          description: 'Identifies the merchant. It is public and grants no access by itself.',
        },
        clientSecret: {
          type: 'apiKey',
          in: 'header',
          name: 'Client-Secret',
          description: 'The `client_secret` of the payment intent, or of its checkout session.',
        },
      },
      requiredBy: () => [{ publishableKey: [], clientSecret: [] }],
    },
  })

const dash = (): JsonSchema =>
  openApiOf({
    title: 'Merchant Payments, for staff',
    description:
      'The API of the deployment’s staff, for all merchants. Every change requires a reason and is recorded in the audit log.',
    surface: 'dash',
    operations,
    resources,
    security: {
      schemes: {
        session: {
          type: 'apiKey',
          in: 'cookie',
          name: '__Host-staff_session',
          description:
            'Set by GET /dash/v1/sign_in. A change also requires the header csrf-token, from GET /dash/v1/me.',
        },
      },
      requiredBy: () => [{ session: [] }],
    },
  })

/** The documents as declared: they name every member and word of an answer. The packages' types are made from them. */
export const declaredDocuments = {
  v1: published(v1),
  browser: published(browser),
  dash: published(dash),
} as const

/** The documents by name, for others. `openapi/<name>.json` is the last generated version. */
export const documents = {
  v1: () => withOpenAnswers(declaredDocuments.v1()),
  browser: () => withOpenAnswers(declaredDocuments.browser()),
  dash: () => withOpenAnswers(declaredDocuments.dash()),
} as const

function published(make: () => JsonSchema): () => JsonSchema {
  return () => publishedDocument(make())
}
