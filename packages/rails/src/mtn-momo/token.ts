import type { Fault, RailHttp } from '../exchange.ts'
import { type RailAnswer, readAnswer } from './codec.ts'
import type { ProductCredentials } from './config.ts'

/** A token is renewed this long before it ends, so that none ends on its way. */
const TOKEN_MARGIN_MS = 90_000

export interface Grant {
  readonly kind: 'grant'
  readonly token: string
  /** The subscription key that the gateway gave it for. */
  readonly subscriptionKey: string
  readonly usableUntilMs: number
}

export interface NoToken {
  readonly kind: 'no_token'
  readonly cause: RailAnswer
}

export interface TokenCache {
  get(signal: AbortSignal): Promise<Grant | NoToken>
  /** After a 401. A newer grant than the refused one stays. */
  drop(refused: Grant): void
}

interface TokenOptions {
  readonly http: RailHttp
  readonly name: 'collection' | 'disbursement'
  readonly credentials: ProductCredentials
  readonly mintTimeoutMs: number
  readonly clock: () => number
}

/** Holds the one token of a product, and mints it once however many calls wait for it. */
export function createTokenCache(options: TokenOptions): TokenCache {
  const { http, name, credentials, mintTimeoutMs, clock } = options
  const { apiUser, apiKey } = credentials
  const authorization = `Basic ${Buffer.from(`${apiUser}:${apiKey}`).toString('base64')}`
  let keys = credentials.subscriptionKeys
  let held: Grant | null = null
  let minting: Promise<Grant | NoToken> | null = null

  async function mintWith(signal: AbortSignal, key: string, otherKey?: string): Promise<Grant | NoToken> {
    const askedMs = clock()
    const headers = { Authorization: authorization, 'Ocp-Apim-Subscription-Key': key }
    // The documented path ends in a slash, and a body is a documented cause of a 400.
    const end = readAnswer(await http.exchange({ method: 'POST', path: `/${name}/token/`, headers, signal }))
    const refused = end.kind === 'answer' && end.status === 401
    if (refused && otherKey !== undefined) return mintWith(signal, otherKey)
    return readGrant(end, key, askedMs) ?? { kind: 'no_token', cause: end }
  }

  async function mint(): Promise<Grant | NoToken> {
    try {
      const grant = await mintWith(AbortSignal.timeout(mintTimeoutMs), ...keys)
      if (grant.kind === 'grant') held = grant
      return grant
    } finally {
      minting = null
    }
  }

  return {
    async get(signal) {
      if (held !== null && clock() < held.usableUntilMs) return held
      minting ??= mint()
      return unlessAborted(minting, signal)
    },
    drop(refused) {
      if (held !== refused) return
      held = null
      // A key can be refused that minted a good token: the next token is asked for with the other one first.
      const [key, otherKey] = keys
      if (otherKey !== undefined) keys = [otherKey, key]
    },
  }
}

function readGrant(end: RailAnswer, subscriptionKey: string, askedMs: number): Grant | null {
  if (end.kind === 'fault' || end.status !== 200) return null
  const token = end.body?.access_token
  if (typeof token !== 'string' || !/^[\x21-\x7e]+$/.test(token)) return null
  // An unreadable life is none: such a token serves those who wait for it, and no one after them.
  const lifeSec = Number(end.body?.expires_in) || 0
  return { kind: 'grant', token, subscriptionKey, usableUntilMs: askedMs + lifeSec * 1000 - TOKEN_MARGIN_MS }
}

const timedOut: Fault = { kind: 'fault', sent: false, errno: 'TIMEOUT' }

/** The mint is shared and has its own time-out; each caller waits no longer than its own signal lets it. */
async function unlessAborted(
  minting: Promise<Grant | NoToken>,
  signal: AbortSignal,
): Promise<Grant | NoToken> {
  const { promise, resolve } = Promise.withResolvers<NoToken>()
  const giveUp = () => resolve({ kind: 'no_token', cause: timedOut })
  if (signal.aborted) giveUp()
  signal.addEventListener('abort', giveUp)
  try {
    return await Promise.race([minting, promise])
  } finally {
    signal.removeEventListener('abort', giveUp)
  }
}
