import { randomUUID } from 'node:crypto'
import type { Bench } from '../bench.ts'
import { MERCHANT } from '../system/deployment.ts'
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

/** A third of a token's life (spec 5.5), so that a run may last for hours. */
const RENEW_EVERY_MS = 5 * 60_000

type Opening = Pick<Bench, 'system' | 'counted' | 'closers'>

/** Opens a merchant whose token is renewed until the run ends. Each token is counted. */
export async function openMerchant(
  { system, counted, closers }: Opening,
  clientId = MERCHANT,
): Promise<Merchant> {
  const { baseUrl, apiPorts, deployment } = system
  const authorize = async () => {
    const token = await fetchToken(baseUrl, clientId, deployment.privateKey)
    counted.tokens += 1
    return { Authorization: `Bearer ${token}` }
  }
  let authorization = await authorize()
  const renewal = setInterval(() => {
    void authorize().then(
      (renewed) => (authorization = renewed),
      (error: unknown) => console.error('no new access token', error),
    )
  }, RENEW_EVERY_MS)
  closers.add(async () => clearInterval(renewal))
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
