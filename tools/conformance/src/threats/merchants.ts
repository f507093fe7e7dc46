import { api, core } from '../test-ref.ts'
import { type Asset, threat } from './threat.ts'

export const merchants: Asset = {
  title: 'A merchant’s objects and credentials',
  threats: [
    threat(
      'a stranger',
      'A forged assertion is exchanged for a token.',
      'Algorithms, key, issuer, audience, subject and instants are checked; one answer for each forgery.',
      api('oauth/attacks', 'the token endpoint has one answer for an assertion'),
    ),
    threat(
      'whoever saw an assertion',
      'It is used a second time.',
      'Its jti is spent in the database, for all replicas, until it is too old.',
      api('oauth/jti', 'is accepted once, however many requests and replicas receive the assertion'),
    ),
    threat(
      'a stranger',
      'A forged, stale or foreign access token is accepted.',
      'The signature, `typ`, issuer, audience, life (900 s at most) and key of a token are checked; an unknown key is looked up ten times a second at most.',
      api('oauth/attacks', '/v1 has one answer for a token'),
      api(
        'oauth/access-token',
        'reads the keys once in a tenth of a second for unknown kids, however many tokens name one',
      ),
    ),
    threat(
      'whoever stole a signing key of the service',
      'Tokens are forged until the key would have retired.',
      'No token lives longer than 900 s; a key that is revoked counts at no replica from seconds later on, and starts none again.',
      api(
        'oauth/revocation',
        'signs nothing that any replica accepts, from the named time on and without a restart',
      ),
      api('oauth/revocation', 'prevents the start of a replica'),
    ),
    threat(
      'a merchant that left the configuration',
      'Its tokens and its payers’ links go on.',
      'A token gives no more than today’s registration of its client.',
      api(
        'departed-merchant',
        'a merchant that left the configuration is refused after the restart, with its tokens and its payers',
      ),
      api('departed-merchant', 'a token has no scope that its merchant’s registration lost'),
    ),
    threat(
      'another merchant',
      'Objects are read or changed by their ids.',
      'Each statement names the merchant of the token; a foreign, an unknown and an ill-formed id are one answer, byte for byte.',
      api('v1/uniform-404', 'and the object is unchanged'),
      api('v1/uniform-404', 'a foreign, an unknown and an ill-formed id have the same 404, byte for byte'),
    ),
    threat(
      'a client with a reading scope',
      'It writes.',
      'The scope is compared with the method before the body is read.',
      api('v1/authentication', '%s is refused with only the reading scope'),
    ),
    threat(
      'a client that was disabled',
      'It goes on with the token that it has.',
      'Each statement looks at the client’s standing.',
      api('v1/authentication', '%s: 401 on the next request, whatever it is'),
    ),
    threat(
      'a merchant who reuses a key, or two at once',
      'A request runs twice, or is answered with another request’s answer.',
      'The key is claimed in the statement that does the work, with a fingerprint of the request.',
      api('races', 'make one intent and have one answer, byte for byte'),
      core('keys', 'of another request with the same key is about the key'),
    ),
  ],
}
