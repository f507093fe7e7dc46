import type { Config, ConfiguredRail, railShapes, RailShapes } from '@merchant-payments/config'
import type { Clock, RailAdapter, RailCode, Rails } from '@merchant-payments/core'
import { openMtnMomo } from './mtn-momo/open.ts'
import { openOrangeMoney } from './orange-money/open.ts'

export type Configured<A extends keyof typeof railShapes> = ConfiguredRail<typeof railShapes, A>

/** The function that opens a rail, per adapter. The compiler requires one for every shape of the configuration. */
export type Openers<S extends RailShapes> = {
  readonly [A in keyof S]: (rail: ConfiguredRail<S, A>, clock: Clock) => RailAdapter
}

export const openers: Openers<typeof railShapes> = { mtn_momo: openMtnMomo, orange_money: openOrangeMoney }

export const openRails = (rails: Config['rails'], clock: Clock): Rails => openRailsBy(openers, rails, clock)

export function openRailsBy<S extends RailShapes>(
  table: Openers<S>,
  rails: Config<S>['rails'],
  clock: Clock,
): Rails {
  // The configuration's schema has already matched each rail with its adapter's shape.
  const configured = rails as readonly ConfiguredRail<S, keyof S>[]
  return new Map(
    configured.map((rail) => [rail.code as RailCode, table[rail.adapter as keyof S](rail, clock)]),
  )
}
