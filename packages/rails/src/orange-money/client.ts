import { type RailAnswer, readAnswer } from '../answer.ts'
import { callsMaxOf, openRailHttp } from '../exchange.ts'
import { withTimeLimit } from '../time-limit.ts'
import { type Grant, type NoToken, openTokens, readGrant, type Reply } from '../tokens.ts'
import type { OrangeMoneyConfig } from './config.ts'

const CONNECT_TIMEOUT_MS = 5_000
const TOTAL_TIMEOUT_MS = 20_000
const MAX_CONNECTIONS = 64

interface Call {
  readonly operation: 'webpayment' | 'transactionstatus'
  readonly body: string
  /** The merchant of a new payment. */
  readonly owner?: string
  /** After this instant, no byte of the request may be written. */
  readonly notAfterMs?: number
}

export interface WebPayment {
  /** Time in ms for a call: one signal covers the token, both attempts and the wait for a connection. */
  readonly totalTimeoutMs: number
  readonly callsMax: number
  call(call: Call): Promise<Reply>
  close(): Promise<void>
}

export function openWebPayment(config: OrangeMoneyConfig): WebPayment {
  const { baseUrl, country, clientId, clientSecret, clock } = config
  const tokenUrl = new URL(config.tokenUrl ?? `${baseUrl.replace(/\/+$/, '')}/oauth/v3/token`)
  const totalTimeoutMs = config.totalTimeoutMs ?? TOTAL_TIMEOUT_MS
  const open = (url: string, maxConnections: number) =>
    openRailHttp({
      baseUrl: url,
      connectTimeoutMs: config.connectTimeoutMs ?? CONNECT_TIMEOUT_MS,
      totalTimeoutMs,
      maxConnections,
      clock,
    })
  const maxConnections = config.maxConnections ?? MAX_CONNECTIONS
  // Payments do not wait for status queries that hang.
  const apis = { webpayment: open(baseUrl, maxConnections), transactionstatus: open(baseUrl, maxConnections) }
  const login = open(tokenUrl.origin, 1)
  const tokens = openTokens({ mint, mintTimeoutMs: totalTimeoutMs, clock })

  async function mint(signal: AbortSignal): Promise<Grant | NoToken> {
    const askedMs = clock()
    const headers = {
      Authorization: `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}`,
      'Content-Type': 'application/x-www-form-urlencoded',
    }
    const path = tokenUrl.pathname + tokenUrl.search
    const body = 'grant_type=client_credentials'
    const end = readAnswer(await login.exchange({ method: 'POST', path, headers, body, signal }))
    return readGrant(end, askedMs) ?? { kind: 'no_token', cause: end }
  }

  async function send(signal: AbortSignal, { operation, ...rest }: Call, grant: Grant): Promise<RailAnswer> {
    const path = `/orange-money-webpay/${country}/v1/${operation}`
    const headers = { Authorization: `Bearer ${grant.token}`, 'Content-Type': 'application/json' }
    return readAnswer(await apis[operation].exchange({ method: 'POST', path, headers, signal, ...rest }))
  }

  return {
    totalTimeoutMs,
    callsMax: callsMaxOf(maxConnections),
    call(call) {
      return withTimeLimit(totalTimeoutMs, (signal) =>
        tokens.call(signal, (grant) => send(signal, call, grant)),
      )
    },
    async close() {
      await Promise.all([...Object.values(apis), login].map((http) => http.close()))
    },
  }
}
