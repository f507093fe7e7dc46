import { api, awaits, type Chapter, contract, holds } from '../sentence.ts'

export const errors: Chapter = {
  title: '7. Errors',
  sentences: [
    holds(
      '7.1',
      'Every non-2xx response that the API renders is JSON with one key error.',
      contract('errors', '%s renders one envelope, whose type follows from its code'),
      api('fuzz/fuzz', 'leaves the envelope'),
    ),
    holds(
      '7.1',
      'param is present when a field is named.',
      contract('errors', 'names the parameter at fault, and has no such key otherwise'),
    ),
    holds(
      '7.1',
      'The message never carries hosts, table names or credentials.',
      api('fuzz/fuzz', 'or says what is behind it'),
      api('http/errors', 'a bug tells nothing of itself'),
    ),
    holds(
      '7.1',
      'A 405 and a 413 carry an empty or plain-text body.',
      api('http/routing', '$method $path'),
      api('http/limits', '413'),
    ),
    holds(
      '7.2',
      'Missing or invalid bearer token: 401 authentication_error.',
      api('v1/authentication', 'without a good token: one answer'),
    ),
    holds(
      '7.2',
      'Token valid, neither scope: 403 forbidden.',
      api('v1/authentication', '%s with neither scope'),
    ),
    holds(
      '7.2',
      'Unknown id, or another merchant’s: 404 resource_missing.',
      api('v1/uniform-404', 'are one 404, byte for byte'),
    ),
    holds(
      '7.2',
      'No route: 404 unknown_route.',
      api('http/routing', '%s is 404 for a merchant, by any method'),
    ),
    holds(
      '7.2',
      'JSON body sent: 400 invalid_request.',
      api('http/errors', 'is refused on every POST, before its key is looked at'),
    ),
    holds(
      '7.2',
      'Invalid parameter: 400 invalid_request, param names the field.',
      api('v1/payment-intents/create', '%s is refused by name'),
    ),
    holds(
      '7.2',
      'POST without Idempotency-Key: 400 naming idempotency_key.',
      api('v1/idempotency', '%s is refused on every POST'),
    ),
    holds(
      '7.2',
      'Same key, different body: idempotency_key_in_use.',
      api('v1/idempotency', '%s is refused, and the stored answer stays'),
    ),
    holds(
      '7.2',
      'Same key, first call still running: idempotency_key_in_flight.',
      api('v1/idempotency', 'the same request is in flight'),
    ),
    holds(
      '7.2',
      'Lifecycle conflict: 409.',
      api('v1/payment-intents/confirm', '409'),
      api('v1/customers/update', 'an erased customer cannot be changed'),
    ),
    holds(
      '7.2',
      'Rail transport failure on confirm: 502 provider_unavailable.',
      api('v1/payment-intents/confirm', 'a rail that was not reached'),
    ),
    awaits(
      'refunds',
      '7.2',
      'Rail does not implement refunds: 501.',
      api('v1/refunds/create', 'a rail without refunds: written, told, failed, told'),
    ),
    holds(
      '7.2',
      'Body over the size limit: 413 without JSON.',
      api('http/limits', '%s, by its length or in chunks'),
    ),
    holds(
      '7.2',
      'A 429 is never emitted.',
      api('conformance/service', 'no code of the catalogue is a 429'),
      api('fuzz/fuzz', 'no answer is a fault of the service'),
    ),
    holds(
      '7.2',
      'compat-should-retry is set on every rendered error: false on a 409, true on an in-flight key.',
      contract('errors', 'never stores a 5xx, and asks for a retry of no 409'),
      api('fuzz/fuzz', 'leaves the envelope'),
    ),
    holds(
      '7.2',
      'A replayed response carries the value the original did.',
      api('v1/idempotency', 'replays a refusal'),
    ),
    holds(
      '7.2',
      'request-id and x-request-id have one value.',
      api('http/errors', 'has a request id of its own, whatever the client sent'),
    ),
    holds(
      '7.3',
      'Token errors are JSON with error and error_description; invalid_client is 401, every other 400.',
      api('oauth/token', '%s is %s'),
      api('oauth/token', '401'),
    ),
  ],
}
