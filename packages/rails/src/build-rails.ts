import type { RailAdapter, Rails } from '@merchant-payments/core'
import { createMtnMomo } from './mtn-momo/adapter.ts'
import type { MtnMomoConfig } from './mtn-momo/config.ts'
import { createOrangeMoney } from './orange-money/adapter.ts'
import type { OrangeMoneyConfig } from './orange-money/config.ts'

export { createMtnMomo, createOrangeMoney, type MtnMomoConfig, type OrangeMoneyConfig }

export type RailConfig = MtnMomoConfig | OrangeMoneyConfig

/** Opens every rail of the deployment. A code given twice keeps the last: the configuration's keys are unique. */
export const buildRails = (configs: readonly RailConfig[]): Rails =>
  new Map(configs.map((config) => [config.code, buildRail(config)]))

function buildRail(config: RailConfig): RailAdapter {
  switch (config.adapter) {
    case 'mtn_momo':
      return createMtnMomo(config)
    case 'orange_money':
      return createOrangeMoney(config)
  }
}
