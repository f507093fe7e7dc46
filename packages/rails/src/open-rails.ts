import type { Config, ConfiguredRail, railShapes, RailShapes } from '@merchant-payments/config'
import type { Clock, RailAdapter, RailCode, Rails } from '@merchant-payments/core'
import { openMtnMomo } from './mtn-momo/open.ts'
import { openOrangeMoney } from './orange-money/open.ts'

/** A configured rail of one of this service's adapters. */
export type Configured<A extends keyof typeof railShapes> = ConfiguredRail<typeof railShapes, A>

/** How each adapter opens a rail: one for every shape of the configuration, which the compiler holds the table to. */
export type Openers<S extends RailShapes> = {
  readonly [A in keyof S]: (rail: ConfiguredRail<S, A>, clock: Clock) => RailAdapter
}

export const openers: Openers<typeof railShapes> = { mtn_momo: openMtnMomo, orange_money: openOrangeMoney }

/** The rails of a deployment's configuration. */
export const openRails = (rails: Config['rails'], clock: Clock): Rails => openRailsBy(openers, rails, clock)

/** The same, of a deployment whose rails are of these adapters. */
export function openRailsBy<S extends RailShapes>(
  table: Openers<S>,
  rails: Config<S>['rails'],
  clock: Clock,
): Rails {
  // The schema that read the configuration has matched each rail with the shape of its own adapter.
  const configured = rails as readonly ConfiguredRail<S, keyof S>[]
  return new Map(
    configured.map((rail) => [rail.code as RailCode, table[rail.adapter as keyof S](rail, clock)]),
  )
}
