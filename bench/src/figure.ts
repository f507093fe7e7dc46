import { median } from './rounds.ts'

export type Unit = '/s' | 'us' | 'ms' | 'KB' | 'MB' | 'rows' | '%'

export type Target = { readonly ratioMin: number } | { readonly min: number } | { readonly max: number }

/** What each of the two has kept when it answers. */
interface Durability {
  readonly ours: string
  readonly peer: string
}

export interface Figure {
  readonly name: string
  readonly unit: Unit
  readonly ours: number
  readonly peer: number | null
  /** How many times better than the peer: a higher rate or a shorter time. */
  readonly ratio: number | null
  readonly target: Target | null
  /** Null where the report does not say it. */
  readonly durability: Durability | null
  readonly rounds: { readonly ours: readonly number[]; readonly peer: readonly number[] }
}

interface Measured {
  readonly name: string
  readonly unit: Unit
  readonly ours: readonly number[]
  /** Absent if there is no peer or it could not run. */
  readonly peer?: readonly number[] | undefined
  readonly target?: Target | null
  readonly durability?: Durability
}

export function figureOf(measured: Measured): Figure {
  const { name, unit, ours, peer = [], target = null, durability = null } = measured
  const us = median(ours)
  const them = peer.length === 0 ? null : median(peer)
  const ratio = them === null ? null : unit === '/s' ? us / them : them / us
  return { name, unit, ours: us, peer: them, ratio, target, durability, rounds: { ours, peer } }
}

/** Null without a target, or without a peer to compare with. */
export function isReached({ ours, ratio, target }: Figure): boolean | null {
  if (target === null) return null
  if ('min' in target) return ours >= target.min
  if ('max' in target) return ours <= target.max
  return ratio === null ? null : ratio >= target.ratioMin
}
