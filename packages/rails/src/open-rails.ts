import type { Config } from '@merchant-payments/config'
import type { Clock, RailCode, Rails } from '@merchant-payments/core'
import { buildRails, type RailConfig } from './build-rails.ts'

type Configured = Config['rails'][number]
type Product = Extract<Configured, { adapter: 'mtn_momo' }>['collection']

/** The rails of a deployment's configuration: the one place where their credentials leave their wrapping. */
export const openRails = (rails: readonly Configured[], clock: Clock): Rails =>
  buildRails(rails.map((rail) => revealed(rail, clock)))

function revealed(rail: Configured, clock: Clock): RailConfig {
  const code = rail.code as RailCode
  switch (rail.adapter) {
    case 'mtn_momo': {
      const collection = credentialsOf(rail.collection)
      const disbursement = rail.disbursement === null ? null : credentialsOf(rail.disbursement)
      return { ...rail, code, collection, disbursement, clock }
    }
    case 'orange_money': {
      const merchantKey = rail.merchantKey.reveal()
      const clientSecret = rail.clientSecret.reveal()
      return { ...rail, code, merchantKey, clientSecret, clock }
    }
  }
}

const credentialsOf = ({ subscriptionKeys: [primary, secondary], apiUser, apiKey }: Product) => ({
  subscriptionKeys: [primary.reveal(), secondary?.reveal()] as const,
  apiUser,
  apiKey: apiKey.reveal(),
})
