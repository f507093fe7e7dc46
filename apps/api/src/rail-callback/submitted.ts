import type { CallbackReference, RailAdapter, RailCode, Rails } from '@merchant-payments/core'

/** docs/spec-gaps.md, load. Some 100 bytes each. */
const REMEMBERED_MAX = 10_000

/** The charges that this process has submitted, each until its first callback. */
export interface Submitted {
  /** Wraps the rails so that their charges are remembered. */
  readonly of: (rails: Rails) => Rails
  /** Whether a charge with this reference was submitted here, and had no callback yet. Forgets it. */
  readonly take: (rail: RailCode, reference: CallbackReference) => boolean
}

/**
 * Remembers the newest charges. References are random, so a call that has one comes from the rail. It needs no look-up, and
 * need not wait behind calls of others. A charge that is forgotten, or that another process has submitted, loses only that.
 */
export function rememberSubmitted(max = REMEMBERED_MAX): Submitted {
  const remembered = new Set<string>()
  const remember = (key: string) => {
    remembered.add(key)
    if (remembered.size <= max) return
    const [oldest] = remembered
    if (oldest !== undefined) remembered.delete(oldest)
  }
  const remembering = (rail: RailAdapter): RailAdapter => ({
    ...rail,
    submitCharge: async (charge) => {
      // Before the call, because a rail may call back before it answers.
      remember(keyOf(rail.code, { by: 'reference', value: charge.reference }))
      const outcome = await rail.submitCharge(charge)
      if (outcome.kind === 'accepted' && outcome.callbackSecret !== null)
        remember(keyOf(rail.code, { by: 'callback_secret', value: outcome.callbackSecret }))
      return outcome
    },
  })
  return {
    of: (rails) => new Map([...rails].map(([code, rail]) => [code, remembering(rail)])),
    take: (rail, reference) => remembered.delete(keyOf(rail, reference)),
  }
}

const keyOf = (rail: RailCode, { by, value }: CallbackReference) => `${rail} ${by} ${value}`
