import type { Config } from '@merchant-payments/config'
import type { Clock, RailCode, Rails } from '@merchant-payments/core'
import { buildRails, type RailConfig } from './build-rails.ts'

type Configured = Config['rails'][number]
type Product = Configured['collection']

/** The rails of a deployment's configuration: the one place where their credentials leave their wrapping. */
export const openRails = (rails: readonly Configured[], clock: Clock): Rails =>
  buildRails(rails.map((rail) => revealed(rail, clock)))

const revealed = (rail: Configured, clock: Clock): RailConfig => ({
  ...rail,
  code: rail.code as RailCode,
  collection: credentialsOf(rail.collection),
  disbursement: rail.disbursement === null ? null : credentialsOf(rail.disbursement),
  clock,
})

const credentialsOf = ({ subscriptionKeys: [primary, secondary], apiUser, apiKey }: Product) => ({
  subscriptionKeys: [primary.reveal(), secondary?.reveal()] as const,
  apiUser,
  apiKey: apiKey.reveal(),
})
