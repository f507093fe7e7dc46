import http from 'node:http'
import https from 'node:https'
import { createBoundedLog } from './bounded.ts'
import type { MockClock } from './clock.ts'
import type { RailName } from './settings.ts'

export type CallbackRecord = {
  readonly rail: RailName
  readonly reference: string
  readonly method: string
  readonly url: string
  readonly body: string
  readonly outcome: 'answered' | 'failed' | 'suppressed' | 'dropped'
  readonly status: number | null
  readonly error: string | null
  readonly atMs: number
}

type CallbackTarget = {
  readonly rail: RailName
  readonly reference: string
  readonly callbackUrl: string | null
}

export type Callbacks = {
  /** Resolves when the receiver has answered or the time is up. Never rejects. */
  readonly send: (target: CallbackTarget, method: string, body: string) => Promise<void>
  readonly suppress: (target: CallbackTarget, method: string, body: string) => void
  readonly newest: (limit: number, reference?: string) => CallbackRecord[]
  readonly clear: () => void
  readonly stop: () => void
}

const CALLBACK_TIMEOUT_MS = 5_000
const MAX_CALLBACK_CONNECTIONS = 64
const MAX_CALLBACKS_UNDER_WAY = 10_000
const MAX_CALLBACK_RECORDS = 5_000

export function createCallbacks(clock: MockClock): Callbacks {
  const log = createBoundedLog<CallbackRecord>(MAX_CALLBACK_RECORDS)
  const pool = { keepAlive: true, maxSockets: MAX_CALLBACK_CONNECTIONS }
  const agents = { 'http:': new http.Agent(pool), 'https:': new https.Agent(pool) }
  const underWay = new Set<http.ClientRequest>()

  function exchange(url: URL, method: string, body: string): Promise<number> {
    const { promise, resolve, reject } = Promise.withResolvers<number>()
    const isTls = url.protocol === 'https:'
    const request = (isTls ? https : http).request(url, {
      method,
      agent: agents[isTls ? 'https:' : 'http:'],
      headers: { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) },
      signal: AbortSignal.timeout(CALLBACK_TIMEOUT_MS),
    })
    underWay.add(request)
    request.on('response', (response) => {
      response.on('error', reject)
      response.on('end', () => resolve(response.statusCode ?? 0))
      response.resume()
    })
    request.on('error', reject)
    request.on('close', () => underWay.delete(request))
    request.end(body)
    return promise
  }

  async function send(target: CallbackTarget, method: string, body: string): Promise<void> {
    const { rail, reference, callbackUrl } = target
    if (callbackUrl === null) return
    const sent = { rail, reference, method, url: callbackUrl, body, atMs: clock.now() }
    if (underWay.size >= MAX_CALLBACKS_UNDER_WAY) {
      log.append({ ...sent, outcome: 'dropped', status: null, error: null })
      return
    }
    try {
      const status = await exchange(new URL(callbackUrl), method, body)
      log.append({ ...sent, outcome: 'answered', status, error: null })
    } catch (error) {
      log.append({ ...sent, outcome: 'failed', status: null, error: codeOf(error) })
    }
  }

  return {
    send,
    suppress: ({ rail, reference, callbackUrl }, method, body) => {
      if (callbackUrl === null) return
      const record = { rail, reference, method, url: callbackUrl, body, atMs: clock.now() }
      log.append({ ...record, outcome: 'suppressed', status: null, error: null })
    },
    newest: (limit, reference) =>
      log.newest(limit, (record) => reference === undefined || record.reference === reference),
    clear: log.clear,
    stop: () => {
      for (const request of underWay) request.destroy()
      for (const agent of Object.values(agents)) agent.destroy()
    },
  }
}

function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown'
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name
}
