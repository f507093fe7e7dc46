import { scopes } from '@merchant-payments/config'

/** The path is not configurable (spec 5.5). */
export const issuerOf = (publicBaseUrl: string): string => `${publicBaseUrl}/v1/oauth`

export const tokenEndpointOf = (publicBaseUrl: string): string => `${issuerOf(publicBaseUrl)}/token`

/**
 * Lists only what is served (spec 4.1). RFC 8414 requires response_types_supported; without an authorize endpoint it
 * is empty.
 */
export const discoveryDocument = (publicBaseUrl: string) => ({
  issuer: issuerOf(publicBaseUrl),
  token_endpoint: tokenEndpointOf(publicBaseUrl),
  jwks_uri: `${issuerOf(publicBaseUrl)}/jwks.json`,
  grant_types_supported: ['client_credentials'],
  response_types_supported: [],
  scopes_supported: scopes,
  token_endpoint_auth_methods_supported: ['private_key_jwt'],
  token_endpoint_auth_signing_alg_values_supported: ['RS256'],
})
