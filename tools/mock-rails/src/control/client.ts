import { MockRailsError } from './control.ts'
import type { ChargeView, MockRailsControl } from './control.ts'
import { fromWire, toWire } from './wire-case.ts'

type Query = Readonly<Record<string, string | number | undefined>>

/**
 * A client of the control plane, for a mock in this process or in another one.
 *
 * @example
 * const control = createControlClient('http://127.0.0.1:4011')
 * await control.addFault({ operation: 'submit', kind: 'reset', when: 'after' })
 */
export function createControlClient(controlUrl: string): MockRailsControl {
  const ask = <T>(method: string, path: string, body?: unknown) => exchange<T>(controlUrl, method, path, body)
  const get = <T>(path: string, query: Query = {}) => ask<T>('GET', `${path}${queryString(query)}`)
  const post = <T>(path: string, body: unknown = {}) => ask<T>('POST', path, body)
  const find = <T>(path: string) =>
    get<T>(path).catch((error: unknown) => {
      if (error instanceof MockRailsError && error.status === 404) return undefined
      throw error
    })
  const decide = (reference: string, decision: 'approve' | 'refuse' | 'expire') =>
    post<ChargeView>(`/charges/${encodeURIComponent(reference)}/${decision}`)
  return {
    getSettings: () => get('/settings'),
    updateSettings: (patch) => post('/settings', patch),
    listScenarios: () => get('/scenarios'),
    getLedger: (query) => get('/ledger', query),
    listCharges: (query) => get('/charges', query),
    findCharge: (reference) => find(`/charges/${encodeURIComponent(reference)}`),
    approveCharge: (reference) => decide(reference, 'approve'),
    refuseCharge: (reference) => decide(reference, 'refuse'),
    expireCharge: (reference) => decide(reference, 'expire'),
    listTransfers: (query) => get('/transfers', query),
    findTransfer: (reference) => find(`/transfers/${encodeURIComponent(reference)}`),
    listPrompts: (query) => get('/prompts', query),
    listCalls: (query) => get('/calls', query),
    listCallbacks: (query) => get('/callbacks', query),
    listFaults: () => get('/faults'),
    addFault: (fault) => post('/faults', fault),
    clearFaults: () => ask('DELETE', '/faults'),
    revokeTokens: () => post('/tokens/revoke'),
    getClock: () => get('/clock'),
    advanceClock: (advanceMs) => post('/clock/advance', { advanceMs }),
    reset: () => post('/reset'),
  }
}

async function exchange<T>(controlUrl: string, method: string, path: string, body: unknown): Promise<T> {
  const response = await fetch(`${controlUrl}/control${path}`, {
    method,
    ...(body === undefined
      ? {}
      : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(toWire(body)) }),
  })
  const answer = await response.json()
  if (!response.ok) throw new MockRailsError(response.status, messageOf(answer))
  return fromWire(answer) as T
}

function messageOf(answer: unknown): string {
  const { error } = answer as { error?: { message?: string } }
  return error?.message ?? 'the control plane refused without a message'
}

function queryString(query: Query): string {
  const params = new URLSearchParams()
  for (const [key, value] of Object.entries(query)) if (value !== undefined) params.set(key, `${value}`)
  return params.size === 0 ? '' : `?${params.toString()}`
}
