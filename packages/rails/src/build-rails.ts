import type { RailAdapter, Rails } from '@merchant-payments/core'
import { createMtnMomo } from './mtn-momo/adapter.ts'
import type { MtnMomoConfig } from './mtn-momo/config.ts'

export { createMtnMomo, type MtnMomoConfig }

export type RailConfig = MtnMomoConfig

const adapters = {
  mtn_momo: createMtnMomo,
} satisfies Record<RailConfig['adapter'], (config: RailConfig) => RailAdapter>

/** Opens every rail of the deployment. A code given twice keeps the last: the configuration's keys are unique. */
export const buildRails = (configs: readonly RailConfig[]): Rails =>
  new Map(configs.map((config) => [config.code, adapters[config.adapter](config)]))
