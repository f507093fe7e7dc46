import { randomUUID } from 'node:crypto'
import { importJWK, type JWK, SignJWT } from 'jose'

export interface TokenRequest {
  readonly tokenUrl: string
  readonly clientId: string
  readonly privateJwk: JWK
}

/** The lifetime of an assertion (spec 5.2: at most 300 seconds). */
const ASSERTION_LIFE = '60s'

/** Fetches a token by private_key_jwt. Written without our SDK, so that tests do not depend on it. */
export async function fetchToken({ tokenUrl, clientId, privateJwk }: TokenRequest): Promise<string> {
  const assertion = await new SignJWT({ jti: randomUUID() })
    .setProtectedHeader({ alg: 'RS256', ...(privateJwk.kid === undefined ? {} : { kid: privateJwk.kid }) })
    .setIssuer(clientId)
    .setSubject(clientId)
    .setAudience(tokenUrl)
    .setIssuedAt()
    .setExpirationTime(ASSERTION_LIFE)
    .sign(await importJWK(privateJwk, 'RS256'))
  const response = await fetch(tokenUrl, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: clientId,
      client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
      client_assertion: assertion,
      audience: 'service:v1',
    }),
  })
  const body = (await response.json()) as { access_token?: string; error?: string }
  if (body.access_token === undefined) throw new Error(`no token: ${body.error ?? response.status}`)
  return body.access_token
}
