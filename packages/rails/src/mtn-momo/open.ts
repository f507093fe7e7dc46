import type { Clock, RailAdapter, RailCode } from '@merchant-payments/core'
import type { Configured } from '../open-rails.ts'
import { createMtnMomo } from './adapter.ts'

type Rail = Configured<'mtn_momo'>

export const openMtnMomo = (rail: Rail, clock: Clock): RailAdapter =>
  createMtnMomo({
    ...rail,
    code: rail.code as RailCode,
    collection: credentialsOf(rail.collection),
    disbursement: rail.disbursement === null ? null : credentialsOf(rail.disbursement),
    clock,
  })

const credentialsOf = ({ subscriptionKeys: [primary, secondary], apiUser, apiKey }: Rail['collection']) => ({
  subscriptionKeys: [primary.reveal(), secondary?.reveal()] as const,
  apiUser,
  apiKey: apiKey.reveal(),
})
