import type { RailAdapter, Rails } from '@merchant-payments/core'
import { expectTypeOf, test } from 'vitest'
import {
  buildRails,
  createMtnMomo,
  createOrangeMoney,
  type MtnMomoConfig,
  type OrangeMoneyConfig,
} from '../src/index.ts'

test('each adapter is a rail, and the rails are a map of them', () => {
  expectTypeOf(createMtnMomo).toEqualTypeOf<(config: MtnMomoConfig) => RailAdapter>()
  expectTypeOf(createOrangeMoney).toEqualTypeOf<(config: OrangeMoneyConfig) => RailAdapter>()
  expectTypeOf(buildRails).returns.toEqualTypeOf<Rails>()
})

test('a configuration for another adapter does not compile', () => {
  type Configured = Parameters<typeof buildRails>[0][number]
  expectTypeOf<{ adapter: 'other' }>().not.toExtend<Configured>()
  expectTypeOf<Omit<MtnMomoConfig, 'adapter'> & { adapter: 'orange_money' }>().not.toExtend<Configured>()
  expectTypeOf<Omit<OrangeMoneyConfig, 'adapter'> & { adapter: 'mtn_momo' }>().not.toExtend<Configured>()
})

test('Orange Money settles in francs, which have no minor unit', () => {
  expectTypeOf<OrangeMoneyConfig['settlementCurrency']>().toEqualTypeOf<'XAF'>()
})
