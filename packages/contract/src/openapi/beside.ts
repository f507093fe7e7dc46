import { eventKinds, type EventType, type UnwrittenEventType } from '../events.ts'
import { rails } from '../types/rails.ts'
import { snapshotOf } from '../types/events.ts'
import type { JsonSchema } from './schema.ts'
import { eventTypes } from '../words.ts'

/** Resources whose snapshot in an event differs from the resource itself (spec 6.2). */
const narrowed = ['PaymentIntent', 'CheckoutSession', 'Invoice']
export const isSnapshot = (name: string): boolean => name.endsWith('Snapshot')

const unwritten: readonly EventType[] = [
  'payment_intent.created',
  'payment_intent.processing',
] satisfies UnwrittenEventType[]

/** Adds what no operation of a resource declares: the token endpoint, webhooks and rails. */
export function withTheRest(document: JsonSchema): JsonSchema {
  const { openapi, info, servers, tags, paths, components, ...rest } = document
  const { schemas, ...others } = components as { schemas: Record<string, JsonSchema> }
  const snapshots = Object.fromEntries(
    narrowed.map((name) => [`${name}Snapshot`, snapshotComponent(name, schemas[name] ?? {})]),
  )
  const routes = paths as Record<string, Record<string, JsonSchema>>
  nameRails(routes['/v1/payment_intents/{id}/confirm']?.['post'])
  return {
    openapi,
    info,
    servers,
    tags: [
      ...(tags as object[]),
      { name: 'oauth', description: 'Access tokens.', 'x-displayName': 'Tokens' },
    ],
    paths: { ...routes, '/v1/oauth/token': { post: tokenOperation } },
    webhooks: Object.fromEntries(
      eventTypes
        .filter((type) => !unwritten.includes(type))
        .map((type) => [type, { post: webhookOf(type, schemas['Event'] ?? {}) }]),
    ),
    components: { schemas: { ...schemas, ...snapshots }, ...others },
    ...rest,
  }
}

function snapshotComponent(name: string, schema: JsonSchema): JsonSchema {
  const { required, ...snapshot } = snapshotOf(name, schema)
  return {
    ...snapshot,
    ...(Array.isArray(required) && { required: required.filter((key) => key !== 'client_secret') }),
    description: `A \`${name}\` as it is in an event: without secret, page address and lines (spec 6.2).`,
  }
}

function webhookOf(type: EventType, event: JsonSchema): JsonSchema {
  const { object, description } = eventKinds[type]
  const component = narrowed.includes(object) ? `${object}Snapshot` : object
  const properties = event['properties'] as Record<string, JsonSchema>
  return {
    operationId: `webhooks.${type}`,
    tags: ['events'],
    summary: `The event ${type}`,
    description: `${description}\n\nThe service posts it to each endpoint of the merchant until the answer is a 2xx: eight times within about 31 hours. Verify the signature over the raw body first (spec 6.3).`,
    security: [],
    parameters: [...signatureHeaders],
    requestBody: {
      required: true,
      content: {
        'application/json': {
          schema: {
            ...event,
            properties: {
              ...properties,
              type: { type: 'string', const: type, description: 'What happened.' },
              data: {
                type: 'object',
                description: 'The resource that changed.',
                required: ['object'],
                additionalProperties: false,
                properties: {
                  object: { $ref: `#/components/schemas/${component}`, description: 'The snapshot.' },
                },
              },
            },
          },
        },
      },
    },
    responses: {
      '2XX': { description: 'Received. The service sends it no more.' },
      default: { description: 'Not received, a redirect too. The service sends it again.' },
    },
  }
}

const header = (name: string, description: string): JsonSchema => ({
  name,
  in: 'header',
  required: true,
  description,
  schema: { type: 'string' },
})

/** Spec 6.3.3. */
const signatureHeaders = [
  header('Service-Signature', '`t=<unix seconds>,v1=<hex>`, with one `v1` for each secret of the endpoint.'),
  header('Compat-Signature', 'The same value, for verifiers of the compatible API.'),
  header('Service-Event-Id', 'The id of the event. The signature does not cover it.'),
]

const text = (description: string, more: JsonSchema = {}): JsonSchema => ({
  type: 'string',
  description,
  ...more,
})

const tokenError = (description: string): JsonSchema => ({
  description,
  content: {
    'application/json': {
      schema: {
        type: 'object',
        required: ['error'],
        properties: {
          error: text('The code of the error, such as `invalid_client`.'),
          error_description: text('A text for people.'),
        },
      },
    },
  },
})

/** Spec 5.3 and 2.9. It declares no scheme, because the assertion in the form is the credential. */
const tokenOperation: JsonSchema = {
  operationId: 'oauth.token',
  tags: ['oauth'],
  summary: 'Get an access token',
  description:
    'Exchanges an assertion, which the merchant signs with its private key (private_key_jwt), for a token of 900 seconds. An assertion can be used once. Without `audience` the token is good, and every call with it is a 401 (spec 5.3).',
  security: [],
  parameters: [],
  requestBody: {
    required: true,
    content: {
      'application/x-www-form-urlencoded': {
        schema: {
          type: 'object',
          required: ['grant_type', 'client_id', 'client_assertion_type', 'client_assertion', 'audience'],
          properties: {
            grant_type: text('The only grant.', { const: 'client_credentials' }),
            client_id: text('The client id of the merchant.'),
            client_assertion_type: text('The only type of assertion.', {
              const: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
            }),
            client_assertion: text(
              'A JWT, signed with RS256: `iss` and `sub` are the client id, `aud` is `{server}/v1/oauth`, `jti` a fresh UUIDv4, `exp` at most 300 seconds ahead. Its header has the `kid` of the key if several are registered.',
            ),
            audience: text('Makes the token one for /v1.', { const: 'service:v1' }),
            scope: text('Scopes, separated by spaces. Default: all that are registered.'),
          },
        },
      },
    },
  },
  responses: {
    200: {
      description: 'The token.',
      content: {
        'application/json': {
          schema: {
            type: 'object',
            required: ['access_token', 'token_type', 'expires_in'],
            properties: {
              access_token: text('Send it as `Authorization: Bearer …`.'),
              token_type: text('Always `Bearer`.', { const: 'Bearer' }),
              expires_in: { type: 'integer', description: 'Its lifetime in seconds: 900.' },
            },
          },
        },
      },
    },
    400: tokenError('The request is refused. docs/errors.md lists the codes.'),
    401: tokenError('`invalid_client`: the answer does not say which check failed (spec 5.7).'),
    503: tokenError('`temporarily_unavailable`: ask again, with a fresh assertion.'),
  },
}

/** The rails that the documents and examples use, each with its instrument. A deployment names its rails itself. */
function nameRails(confirm: JsonSchema | undefined): void {
  const { content } = (confirm?.['requestBody'] ?? {}) as {
    content?: Record<string, { schema: { properties: Record<string, JsonSchema> } }>
  }
  for (const { schema } of Object.values(content ?? {})) {
    const data = schema.properties['payment_method_data']
    if (data === undefined) continue
    data['properties'] = {
      type: text('The rail once more, if it is sent.'),
      ...Object.fromEntries(rails.map((rail) => [rail.code, instrumentOf(rail)])),
    }
  }
}

const instrumentOf = ({ description, instrument }: (typeof rails)[number]): JsonSchema => ({
  type: 'object',
  description: description.replace(' Pass `null`.', ''),
  ...(instrument === 'PushInstrument' && { required: ['msisdn'] }),
  properties: { msisdn: text('The payer’s phone number, in any spelling.') },
})
