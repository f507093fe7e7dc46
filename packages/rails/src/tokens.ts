import type { RailAnswer } from './answer.ts'
import type { ExchangeFailure } from './exchange.ts'
import { withTimeLimit } from './time-limit.ts'

/** A token is renewed this long before it expires, so that it does not expire on its way. */
const TOKEN_MARGIN_MS = 90_000

export interface Grant {
  readonly kind: 'grant'
  readonly token: string
  readonly usableUntilMs: number
}

export interface NoToken {
  readonly kind: 'no_token'
  readonly cause: RailAnswer
}

export type Reply = RailAnswer | NoToken

export interface Tokens<G extends Grant> {
  /** Never rejects. A 401 proves that nothing was done, so the request is sent once more with a new token. */
  call(signal: AbortSignal, send: (grant: G) => Promise<RailAnswer>): Promise<Reply>
}

interface TokensOptions<G extends Grant> {
  readonly mint: (signal: AbortSignal) => Promise<G | NoToken>
  readonly mintTimeoutMs: number
  readonly clock: () => number
  readonly onRefused?: (refused: G) => void
}

/** Holds the one token of an account. Calls that wait for a token share one request for it. */
export function openTokens<G extends Grant>(options: TokensOptions<G>): Tokens<G> {
  const { mintTimeoutMs, clock, onRefused } = options
  let held: G | null = null
  let minting: Promise<G | NoToken> | null = null

  async function mint(): Promise<G | NoToken> {
    try {
      const grant = await withTimeLimit(mintTimeoutMs, (signal) => options.mint(signal))
      if (grant.kind === 'grant') held = grant
      return grant
    } finally {
      minting = null
    }
  }

  async function get(signal: AbortSignal): Promise<G | NoToken> {
    if (held !== null && clock() < held.usableUntilMs) return held
    minting ??= mint()
    return unlessAborted(minting, signal)
  }

  /** Drops the refused grant, unless a newer one has replaced it. */
  function drop(refused: G): void {
    if (held !== refused) return
    held = null
    onRefused?.(refused)
  }

  return {
    async call(signal, send) {
      const grant = await get(signal)
      if (grant.kind === 'no_token') return grant
      const answer = await send(grant)
      if (answer.kind === 'fault' || answer.status !== 401) return answer
      drop(grant)
      const fresh = await get(signal)
      return fresh.kind === 'no_token' ? fresh : send(fresh)
    },
  }
}

export function readGrant(end: RailAnswer, askedMs: number): Grant | null {
  if (end.kind === 'fault' || end.status !== 200) return null
  const token = end.body?.access_token
  if (typeof token !== 'string' || !/^[\x21-\x7e]+$/.test(token)) return null
  // An unreadable lifetime counts as 0: only the callers that are waiting use the token.
  const lifeSec = Number(end.body?.expires_in) || 0
  return { kind: 'grant', token, usableUntilMs: askedMs + lifeSec * 1000 - TOKEN_MARGIN_MS }
}

const timedOut: ExchangeFailure = { kind: 'fault', sent: false, errno: 'TIMEOUT' }

/** The token request is shared and has its own time-out. Each caller waits at most until its own signal. */
async function unlessAborted<G>(minting: Promise<G | NoToken>, signal: AbortSignal): Promise<G | NoToken> {
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
