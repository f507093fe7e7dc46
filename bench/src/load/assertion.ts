import { type KeyObject, randomUUID } from 'node:crypto'
import { SignJWT } from 'jose'

/** Spec 8: an assertion lives at most 300 seconds. */
const LIFE_SEC = 300

export const signAssertion = (clientId: string, audience: string, key: KeyObject): Promise<string> =>
  new SignJWT({ jti: randomUUID() })
    .setProtectedHeader({ alg: 'RS256' })
    .setIssuer(clientId)
    .setSubject(clientId)
    .setAudience(audience)
    .setExpirationTime(`${LIFE_SEC} s`)
    .sign(key)

export const tokenForm = (clientId: string, assertion: string, target: Record<string, string>): string =>
  new URLSearchParams({
    grant_type: 'client_credentials',
    client_id: clientId,
    client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
    client_assertion: assertion,
    ...target,
  }).toString()
