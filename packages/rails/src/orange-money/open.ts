import type { Clock, RailAdapter, RailCode } from '@merchant-payments/core'
import type { Configured } from '../open-rails.ts'
import { createOrangeMoney } from './adapter.ts'

export const openOrangeMoney = (rail: Configured<'orange_money'>, clock: Clock): RailAdapter =>
  createOrangeMoney({
    ...rail,
    code: rail.code as RailCode,
    merchantKey: rail.merchantKey.reveal(),
    clientSecret: rail.clientSecret.reveal(),
    clock,
  })
