import type { Scope } from '@merchant-payments/config'
import { claimsOf, forge, rsaKeys } from './forge.ts'
import { issuer, type Replica } from './replica.ts'

export const nowSec = 1_800_000_000
export const clock = () => nowSec * 1_000

/** The service's own keys, by kid. */
export const serviceKey = rsaKeys()
export const shopKey = rsaKeys()
export const stallKey = rsaKeys()

const client = (
  clientId: string,
  scopes: readonly Scope[],
  keys: Record<string, ReturnType<typeof rsaKeys>>,
) => ({
  clientId,
  jwks: new Map(Object.entries(keys).map(([kid, { publicKey }]) => [kid, publicKey])),
  scopes,
  audiences: ['service:v1', 'reports:v1'],
})

/** The merchants of a deployment. The stall has several keys, and the kiosk no scopes. */
export const clients = new Map(
  [
    client('shop', ['payments:read', 'payments:write'], { one: shopKey }),
    client('stall', ['payments:read'], { one: stallKey, two: shopKey }),
    client('kiosk', [], { one: shopKey }),
  ].map((one) => [one.clientId, one]),
)

export type Form = Readonly<Record<string, string>>

export const assertionOf = (clientId = 'shop', key = shopKey, claims: object = {}, header?: object) =>
  forge(key.privateKey, { ...claimsOf(clientId, issuer, nowSec), ...claims }, header)

export const formOf = (changes: Form = {}): Form => ({
  grant_type: 'client_credentials',
  client_id: 'shop',
  client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
  client_assertion: assertionOf(changes['client_id']),
  ...changes,
})

export async function postToken(to: Replica, form: Form | string, headers: Form = {}) {
  const body = typeof form === 'string' ? form : new URLSearchParams(form).toString()
  const response = await fetch(`${to.origin}/v1/oauth/token`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    body,
  })
  const text = await response.text()
  return {
    status: response.status,
    headers: response.headers,
    text,
    body: JSON.parse(text) as Record<string, unknown>,
  }
}

export const invalidClient = { error: 'invalid_client', error_description: 'client authentication failed' }
