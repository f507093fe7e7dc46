import { readAnswer } from '../answer.ts'
import type { RailHttp } from '../exchange.ts'
import { type Grant, type NoToken, openTokens, readGrant, type Tokens } from '../tokens.ts'
import type { ProductCredentials } from './config.ts'

export interface ProductGrant extends Grant {
  /** The subscription key with which the gateway issued the token. */
  readonly subscriptionKey: string
}

interface ProductTokensOptions {
  readonly http: RailHttp
  readonly name: 'collection' | 'disbursement'
  readonly credentials: ProductCredentials
  readonly mintTimeoutMs: number
  readonly clock: () => number
}

export function openProductTokens(options: ProductTokensOptions): Tokens<ProductGrant> {
  const { http, name, credentials, mintTimeoutMs, clock } = options
  const { apiUser, apiKey } = credentials
  const authorization = `Basic ${Buffer.from(`${apiUser}:${apiKey}`).toString('base64')}`
  let keys = credentials.subscriptionKeys

  async function mintWith(
    signal: AbortSignal,
    subscriptionKey: string,
    otherKey?: string,
  ): Promise<ProductGrant | NoToken> {
    const askedMs = clock()
    const headers = { Authorization: authorization, 'Ocp-Apim-Subscription-Key': subscriptionKey }
    // The documented path ends in a slash, and a body is a documented cause of a 400.
    const end = readAnswer(await http.exchange({ method: 'POST', path: `/${name}/token/`, headers, signal }))
    const refused = end.kind === 'answer' && end.status === 401
    if (refused && otherKey !== undefined) return mintWith(signal, otherKey)
    const grant = readGrant(end, askedMs)
    return grant === null ? { kind: 'no_token', cause: end } : { ...grant, subscriptionKey }
  }

  return openTokens({
    mint: (signal) => mintWith(signal, ...keys),
    mintTimeoutMs,
    clock,
    onRefused() {
      // The gateway can refuse a key that has just minted a token. The next token is requested with the other
      // key first.
      const [key, otherKey] = keys
      if (otherKey !== undefined) keys = [otherKey, key]
    },
  })
}
