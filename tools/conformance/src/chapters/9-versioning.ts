import { api, type Chapter, contract, holds, sdk, verifier } from '../sentence.ts'

export const versioning: Chapter = {
  title: '9. Versioning',
  sentences: [
    holds(
      '9.1',
      'No API version is advertised or echoed.',
      api('conformance/service', 'no version is advertised or echoed, whichever one asks for'),
    ),
    holds(
      '9.2',
      'The compatible-API headers for account, version, context and client telemetry are accepted and ignored.',
      api('v1/authentication', 'headers of the compatible API are accepted and ignored'),
    ),
    holds(
      '9.2',
      'Pinning an API version has no effect.',
      api('conformance/service', 'no version is advertised or echoed, whichever one asks for'),
    ),
    holds(
      '9.3',
      'Resource paths, form encoding, Idempotency-Key and the error envelope carry over.',
      api('v1/stripe-client', 'creates, retrieves, confirms, cancels and reads events'),
      api('v1/stripe-client', 'knows the class, code and parameter of each refusal'),
    ),
    holds(
      '9.3',
      'Lists and auto-pagination carry over.',
      api('v1/stripe-client', 'pages through everything in both directions'),
    ),
    holds(
      '9.3',
      'Signature verification carries over.',
      verifier('compatible-client', 'accepts a header made here'),
    ),
    holds(
      '9.3',
      'An in-flight idempotency key is 400 where the other API answers 409.',
      api('v1/stripe-client', 'retries a request that is in flight until it gets the first one’s answer'),
    ),
    holds(
      '9.3',
      'Search and balance are not routed.',
      api('http/routing', '%s is 404 for a merchant, by any method'),
    ),
    holds(
      '9.3',
      'The checkout session is the service’s own shape.',
      contract('checkout-sessions', 'refuses %s, and says what to do'),
    ),
    holds(
      '9.4',
      'An authenticator sets only the Authorization header and leaves the body untouched.',
      sdk('operations', 'sends the form, the key and nothing that identifies more than the client'),
    ),
  ],
}
