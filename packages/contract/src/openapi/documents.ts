import { z } from 'zod'
import * as contract from '../index.ts'
import type { Operation } from '../operation.ts'
import { openApiOf } from './document.ts'
import type { JsonSchema } from './schema.ts'

// Sorted, because the order of a module's exports is nobody's promise.
const declared = Object.entries<unknown>(contract).sort(([a], [b]) => (a < b ? -1 : 1))

/** Every route of the service that has a declaration. */
export const operations: readonly Operation[] = declared
  .map(([, value]) => value)
  .filter((value): value is Operation => typeof value === 'object' && value !== null && 'surface' in value)
  .sort((a, b) => (`${a.path} ${a.method}` < `${b.path} ${b.method}` ? -1 : 1))

const isResource = (name: string, value: unknown): value is z.ZodType =>
  value instanceof z.ZodObject && /^[A-Z]/.test(name)

const named = new Map(
  declared.flatMap(([name, value]) => (isResource(name, value) ? [[value, name] as const] : [])),
)

const v1 = (): JsonSchema =>
  openApiOf({
    title: 'Merchant Payments',
    surface: 'v1',
    operations,
    named,
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
      required: [{ oauth: [] }],
    },
  })

const browser = (): JsonSchema =>
  openApiOf({
    title: 'Merchant Payments, for payers',
    surface: 'browser',
    operations,
    named,
    security: {
      schemes: {
        publishableKey: { type: 'apiKey', in: 'header', name: 'Publishable-Key' },
        clientSecret: { type: 'apiKey', in: 'header', name: 'Client-Secret' },
      },
      required: [{ publishableKey: [], clientSecret: [] }],
    },
  })

const dash = (): JsonSchema =>
  openApiOf({
    title: 'Merchant Payments, for staff',
    surface: 'dash',
    operations,
    named,
    security: {
      schemes: {
        session: {
          type: 'apiKey',
          in: 'cookie',
          name: '__Host-staff_session',
          description:
            'Set by GET /dash/v1/sign_in. A change also needs the header csrf-token, of GET /dash/v1/me.',
        },
      },
      required: [{ session: [] }],
    },
  })

/** The documents by their names; `openapi/<name>.json` holds each as it was last written. */
export const documents = { v1, browser, dash } as const
