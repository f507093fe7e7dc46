import { exportJWK, generateKeyPair } from 'jose'
import { Provider } from 'oidc-provider'

// The peer of the token endpoint, with the same grant: client_credentials and private_key_jwt for an RS256
// access token. Its adapter is in memory, whereas ours spends each jti in PostgreSQL.
//
// Usage: oidc-provider.ts <port> <client id> <the client's public JWK>
const [port, clientId = '', publicJwk = ''] = process.argv.slice(2)

const AUDIENCE = 'service:v1'
const TOKEN_LIFE_SEC = 900

const { privateKey } = await generateKeyPair('RS256', { extractable: true })
const provider = new Provider(`http://127.0.0.1:${port}`, {
  jwks: { keys: [{ ...(await exportJWK(privateKey)), alg: 'RS256', use: 'sig' }] },
  clients: [
    {
      client_id: clientId,
      grant_types: ['client_credentials'],
      redirect_uris: [],
      response_types: [],
      token_endpoint_auth_method: 'private_key_jwt',
      token_endpoint_auth_signing_alg: 'RS256',
      jwks: { keys: [{ ...JSON.parse(publicJwk), use: 'sig' }] },
    },
  ],
  scopes: ['payments:read', 'payments:write'],
  features: {
    devInteractions: { enabled: false },
    clientCredentials: { enabled: true },
    resourceIndicators: {
      enabled: true,
      defaultResource: () => `urn:${AUDIENCE}`,
      getResourceServerInfo: () => ({
        scope: 'payments:read payments:write',
        audience: AUDIENCE,
        accessTokenTTL: TOKEN_LIFE_SEC,
        accessTokenFormat: 'jwt',
        jwt: { sign: { alg: 'RS256' } },
      }),
    },
  },
})

provider.listen(Number(port), '127.0.0.1')
