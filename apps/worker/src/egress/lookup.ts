import { createGate, type GateLimits } from '@merchant-payments/core'
import {
  askSystem,
  createResolve,
  type Resolve,
  type ResolvedAddress,
  type ResolveOptions,
} from '@merchant-payments/names'

export type { ResolvedAddress }

/** Look-ups under way at once. Each has a socket. */
const LOOKUPS_MAX = 256

/** A merchant's look-ups under way at once, so that its dead names leave room for the names of others. */
const LOOKUPS_PER_OWNER = 16

export type Lookup = (host: string) => Promise<readonly ResolvedAddress[]>

interface Asker {
  readonly owner: string
  readonly signal: AbortSignal
}

export type FairLookup = (host: string, asker: Asker) => Promise<readonly ResolvedAddress[]>

interface OpenOptions extends Pick<ResolveOptions, 'servers' | 'limitMs'> {
  readonly allowPrivate: boolean
}

/**
 * A name that only the system knows leads to a private address. Without private targets it is not asked of the
 * system, so that no merchant's name holds a thread.
 */
export function openLookup({ allowPrivate, ...options }: OpenOptions): FairLookup {
  const resolve = createResolve(allowPrivate ? { ...options, system: askSystem } : options)
  return boundedLookup(resolve, { running: LOOKUPS_MAX, runningOfOwner: LOOKUPS_PER_OWNER })
}

/**
 * Shares one look-up among the attempts of an owner that ask for a name while it runs. Look-ups above the
 * limits wait, and owners take turns.
 */
export function boundedLookup(resolve: Resolve, limits: GateLimits): FairLookup {
  const gate = createGate(limits)
  const running = new Map<string, Shared>()

  async function lookUp(host: string, owner: string, signal: AbortSignal) {
    const refused = await gate.enter(owner, signal)
    if (refused !== null) throw new Error(`look-up refused: ${refused}`)
    try {
      return await resolve(host, signal)
    } finally {
      gate.leave(owner)
    }
  }

  function begin(key: string, host: string, owner: string): Shared {
    const left = new AbortController()
    const answer = lookUp(host, owner, left.signal).finally(() => {
      if (running.get(key) === shared) running.delete(key)
    })
    const shared: Shared = { answer, left, waiting: 0 }
    running.set(key, shared)
    return shared
  }

  return (host, { owner, signal }) => {
    const key = `${owner} ${host}`
    const shared = running.get(key) ?? begin(key, host, owner)
    shared.waiting += 1
    const leave = () => {
      shared.waiting -= 1
      if (shared.waiting > 0) return
      running.delete(key)
      shared.left.abort()
    }
    signal.addEventListener('abort', leave, { once: true })
    return shared.answer.finally(() => signal.removeEventListener('abort', leave))
  }
}

interface Shared {
  readonly answer: Promise<readonly ResolvedAddress[]>
  /** Aborted once no attempt waits for the answer. */
  readonly left: AbortController
  waiting: number
}
