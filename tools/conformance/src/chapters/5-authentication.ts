import { api, apiUnit, type Chapter, config, core, holds, lacks, sdk, sdkUnit } from '../sentence.ts'

export const authentication: Chapter = {
  title: '5. Authentication',
  sentences: [
    holds(
      '5.1.1',
      'Authentication is client_credentials with private_key_jwt.',
      api('oauth/token', 'a good assertion is answered with a bearer token of 900 seconds'),
    ),
    holds(
      '5.1.2',
      'Other grants are refused with unauthorized_client.',
      api('oauth/token', 'unauthorized_client'),
    ),
    holds(
      '5.1.2',
      'There is no refresh token.',
      api('oauth/token', 'a good assertion is answered with a bearer token of 900 seconds'),
    ),
    holds(
      '5.1.3',
      'A registration whose audiences cannot target service:v1 is refused at boot.',
      config('deployment', 'with %s is refused there and nowhere else'),
    ),
    holds(
      '5.1.4',
      'A replica that does not know a merchant answers invalid_client.',
      api('oauth/attacks', 'at the token endpoint, one answer for an assertion'),
      api('departed-merchant', 'a merchant that left the configuration is refused from the restart on'),
    ),
    holds(
      '5.1.5',
      'A disabled client is refused at the token endpoint, effective on the next request.',
      api('oauth/jti', 'a disabled client is refused on its next request'),
    ),
    holds(
      '5.1.5',
      'A disabled client is answered 401 on /v1, effective on the next request.',
      api('v1/authentication', '401 on the next request, whatever it asks'),
    ),
    holds(
      '5.2',
      'alg: RS256, from the registered key, never from the header.',
      api('oauth/attacks', 'at the token endpoint, one answer for an assertion'),
      apiUnit('oauth/assertion', 'an assertion is refused'),
    ),
    holds(
      '5.2',
      'iss and sub both equal the client_id.',
      apiUnit('oauth/assertion', 'an assertion is refused'),
    ),
    holds(
      '5.2',
      'kid: optional with one key; required and exact when several are registered.',
      api('oauth/token', 'a client with several keys names the one it used'),
    ),
    holds(
      '5.2',
      'aud: a single string, the token endpoint or the issuer.',
      api('oauth/token', 'an assertion may be addressed to %s'),
      apiUnit('oauth/assertion', 'an assertion is refused'),
    ),
    holds(
      '5.2',
      'jti: spent exactly once.',
      api('oauth/jti', 'is spent once, however many post the assertion, to however many replicas'),
    ),
    holds(
      '5.2',
      'The replay namespace is global across merchants.',
      api('oauth/jti', 'is spent for every merchant'),
    ),
    holds(
      '5.2',
      'exp: a lifetime of 1 to 300 seconds.',
      api('oauth/attacks', 'one assertion of 300 seconds is good until its 360th'),
    ),
    holds(
      '5.2',
      'Clock leeway is 60 seconds.',
      api('oauth/attacks', 'instants, to the second, with a leeway of 60 seconds'),
    ),
    holds(
      '5.3',
      'audience: the token is addressed to what was asked for; without it to the client_id.',
      api('oauth/token', 'the audience asked for is the token’s'),
    ),
    holds(
      '5.3',
      'scope: omitted means all registered scopes; narrower stays narrower.',
      api('oauth/token', 'the token has the scopes asked for, or all: %s'),
    ),
    holds('5.3', 'A scope outside the registration is invalid_scope.', api('oauth/token', '%s is %s')),
    holds(
      '5.3',
      'Order of checks: disabled, then signature, then jti.',
      api('oauth/jti', 'is not burnt by a forger who knows it'),
      api('oauth/jti', 'burns nothing, and is let in again'),
    ),
    holds(
      '5.4',
      'Access tokens live 900 seconds.',
      api('oauth/attacks', 'an access token is good for 900 seconds, and no leeway'),
    ),
    holds(
      '5.4',
      '/v1 checks that the audience is service:v1.',
      api('oauth/attacks', 'at /v1, one answer for a token'),
    ),
    holds(
      '5.4',
      'payments:write for any method that is not a read.',
      api('v1/authentication', '%s is not served to the reading scope alone'),
      api('v1/authentication', '%s is served to the writing scope alone'),
    ),
    lacks(
      '5.4',
      'An unknown verb requires write.',
      'a verb without a route is a 405 before its scope is looked at',
    ),
    holds(
      '5.4',
      'payments:read or payments:write for GET and HEAD.',
      api('v1/authentication', '%s is served to the reading scope alone'),
    ),
    holds(
      '5.4',
      'A valid token with neither scope is 403 forbidden on every call.',
      api('v1/authentication', '%s with neither scope'),
    ),
    holds(
      '5.4',
      'On expiry or a 401, mint a new assertion.',
      sdk('tokens', 'mints once and sends the same request again'),
      sdkUnit('token-cache', 'serves the token while one renewal runs in the background'),
      sdkUnit('token-cache', 'does not serve a token past 870 s'),
    ),
    holds('5.5', 'The issuer is {public_base_url}/v1/oauth.', api('oauth/discovery', 'says what is served')),
    holds(
      '5.5',
      'The signing key is a single RSA key loaded at boot.',
      config('deployment', 'with %s is refused there and nowhere else'),
    ),
    holds(
      '5.5',
      'The retired key stays published in the JWKS for 24 hours.',
      api('oauth/discovery', 'holds a retired key for 24 hours, at every replica'),
      core('oauth/signing-keys', 'which stays published for 24 hours'),
    ),
    holds(
      '5.5',
      'Rolling back to a retired key is refused at boot with exit status 78.',
      api('boot', 'going back to a retired signing key is refused with status 78'),
    ),
    holds(
      '5.6',
      'The staff surface uses an OIDC session with authorization code and PKCE.',
      api('dash/sign-in', 'asks the provider for a code, with PKCE, a state and a nonce'),
      api('dash/sign-in', 'with a code that was asked for under another challenge is refused'),
    ),
    holds(
      '5.6',
      'The provider callback needs no credential.',
      api('rail-callback', 'pulls the status query forward'),
    ),
    holds(
      '5.7',
      'invalid_client does not say which check failed.',
      api('oauth/token', '%s is told apart in the log only'),
      api('oauth/attacks', 'at the token endpoint, one answer for an assertion'),
    ),
    holds(
      '5.7',
      'A token minted without audience service:v1 is a 401 on every /v1 call.',
      api('v1/authentication', 'without a good token: one answer'),
      api('conformance/service', 'a token for another audience is good for no call of /v1'),
    ),
  ],
}
