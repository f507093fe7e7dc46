import { api, type Chapter, configTest, core, coreUnit, holds, lacks, verifier, worker } from '../sentence.ts'

export const limits: Chapter = {
  title: '8. Limits',
  sentences: [
    holds(
      '8',
      'Request body: at most 64 KiB; larger is 413.',
      api('http/limits', 'a body of 64 KiB'),
      api('http/limits', '413'),
    ),
    holds(
      '8',
      'Idempotency-Key: 1 to 255 printable-ASCII bytes.',
      api('v1/idempotency', 'of %s is good'),
      api('v1/idempotency', '%s is refused on every POST'),
    ),
    holds('8', 'Keys are scoped to the merchant.', api('v1/idempotency', 'belongs to its merchant')),
    holds(
      '8',
      'Keys are kept 24 hours.',
      api('v1/idempotency', 'up to 24 hours it replays, after them it is fresh'),
      core('keys', 'is kept for 24 hours to the millisecond'),
    ),
    holds('8', 'Assertion lifetime: 1 to 300 seconds.', api('oauth/attacks', 'one assertion of 300 seconds')),
    holds('8', 'Clock leeway: 60 seconds.', api('oauth/attacks', 'with a leeway of 60 seconds')),
    holds(
      '8',
      'Access token lifetime: 900 seconds.',
      api('oauth/access-token', 'is refused from its 900th second on'),
    ),
    holds('8', 'JWKS cache: max-age 300 seconds.', api('oauth/discovery', 'may be cached for five minutes')),
    holds(
      '8',
      'Retired signing key publishable: 24 hours.',
      api('oauth/access-token', 'is good for 24 hours, in the JWK set and for tokens'),
    ),
    holds(
      '8',
      'Webhook signature timestamp tolerance: 5 minutes.',
      verifier('verifier', 'so that the last moment of the 300th still passes'),
    ),
    lacks('8', 'Webhook timeout: 10 s total, 5 s connect.', 'the tests shorten them (6.3.7)'),
    holds('8', 'Webhook attempts: 8.', coreUnit('deliveries/ladder', 'eight POSTs')),
    holds(
      '8',
      'A failing event is marked failed after five failures.',
      worker('fan-out-events', 'waits five seconds each time, and fails with one alert'),
    ),
    holds('8', 'The lost-job scan.', worker('sweeps', 'the ten-minute scan')),
    holds(
      '8',
      'Customer retention: idle more than 365 days.',
      worker('erase-idle-customers', 'the hourly erasure'),
      worker('erase-idle-customers', 'idle for more than 365 days'),
    ),
    holds(
      '8',
      'The checkout expiry sweep.',
      worker('sweeps', 'the hourly expiry'),
      worker('turns', 'one replica runs a sweep in each interval'),
    ),
    lacks(
      '8',
      'Every hour for both sweeps, every 10 minutes for the scan.',
      'constants of apps/worker/src/schedule.ts; no test waits so long',
    ),
    holds('8', 'Live-mode webhook secret: at least 32 bytes.', configTest('livemode', 'livemode refuses %s')),
    holds(
      '8',
      'The only currencies are XAF and EUR.',
      api('conformance/service', 'money is XAF or EUR, in whole minor units'),
    ),
    holds(
      '8',
      'Same key, same body, first call finished: the stored response, byte for byte.',
      api('v1/idempotency', 'replays a creation and makes nothing'),
      api('races', 'make one intent and give one answer, byte for byte'),
      api('model/model', 'answered and told exactly what the books say'),
    ),
    holds(
      '8',
      'Same key, different body: 400 idempotency_key_in_use.',
      api('v1/idempotency', 'another request with a used key'),
    ),
    holds(
      '8',
      'Same key, first call running: 400 idempotency_key_in_flight.',
      api('v1/idempotency', 'while the first call runs'),
    ),
    holds(
      '8',
      'First call answered 5xx: key released, the retry re-executes; 5xx is never stored.',
      api('v1/idempotency', 'after a 502 the key is released'),
      api('http/errors', 'a bug tells nothing of itself, and the key is released'),
    ),
    holds(
      '8',
      'Deployment changed under a replay: still the original’s answer.',
      api('v1/idempotency', 'replays after the rail left the deployment'),
    ),
    holds(
      '8',
      'No rate limits on /v1 or /v1/oauth/token.',
      api('conformance/service', 'no code of the catalogue is a 429'),
    ),
  ],
}
