import { randomUUID } from 'node:crypto'
import { MERCHANT } from '../system/deployment.ts'
import type { System } from '../system/system.ts'
import { signAssertion, tokenForm } from './assertion.ts'
import { type Connection, openConnections, requestOf } from './connection.ts'

/** Makes a merchant's requests. Each POST gets a fresh Idempotency-Key unless one is given. */
export interface Merchant {
  connect(count: number): Promise<Connection[]>
  get(path: string): string
  delete(path: string): string
  post(path: string, form: string, key?: string): string
}

const formType = 'application/x-www-form-urlencoded'

export async function openMerchant(
  { baseUrl, apiPorts, deployment }: System,
  clientId = MERCHANT,
): Promise<Merchant> {
  const token = await fetchToken(baseUrl, clientId, deployment.privateKey)
  const authorization = { Authorization: `Bearer ${token}` }
  return {
    connect: (count) => openConnections(apiPorts, count),
    get: (path) => requestOf('GET', path, authorization),
    delete: (path) => requestOf('DELETE', path, authorization),
    post: (path, form, key = randomUUID()) =>
      requestOf('POST', path, { ...authorization, 'Content-Type': formType, 'Idempotency-Key': key }, form),
  }
}

async function fetchToken(
  baseUrl: string,
  clientId: string,
  key: Parameters<typeof signAssertion>[2],
): Promise<string> {
  const tokenUrl = `${baseUrl}/v1/oauth/token`
  const assertion = await signAssertion(clientId, tokenUrl, key)
  const response = await fetch(tokenUrl, {
    method: 'POST',
    headers: { 'content-type': formType },
    body: tokenForm(clientId, assertion, { audience: 'service:v1' }),
  })
  if (!response.ok) throw new Error(`no access token: ${response.status}`)
  const { access_token: token } = (await response.json()) as { access_token: string }
  return token
}

/** @throws for any other status, because figures count only successes */
export function expectStatus({ status, body }: { status: number; body: string }, wanted: number): void {
  if (status !== wanted) throw new Error(`answered ${status} instead of ${wanted}: ${body.slice(0, 500)}`)
}
