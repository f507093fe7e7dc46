import type { RailAdapter, Rails } from '@merchant-payments/core'
import { expectTypeOf, test } from 'vitest'
import type { railShapes } from '@merchant-payments/config'
import {
  createMtnMomo,
  createOrangeMoney,
  type MtnMomoConfig,
  openRails,
  type OrangeMoneyConfig,
} from '../src/index.ts'
import { type Openers, openers } from '../src/open-rails.ts'

test('each adapter is a rail, and the rails are a map of them', () => {
  expectTypeOf(createMtnMomo).toEqualTypeOf<(config: MtnMomoConfig) => RailAdapter>()
  expectTypeOf(createOrangeMoney).toEqualTypeOf<(config: OrangeMoneyConfig) => RailAdapter>()
  expectTypeOf(openRails).returns.toEqualTypeOf<Rails>()
})

test('a configured adapter without an opener does not compile', () => {
  type Shapes = typeof railShapes
  expectTypeOf(openers).toExtend<Openers<Shapes>>()
  expectTypeOf(openers).not.toExtend<Openers<Shapes & { third: Shapes['mtn_momo'] }>>()
  expectTypeOf(openers).not.toExtend<
    Openers<{ mtn_momo: Shapes['orange_money']; orange_money: Shapes['mtn_momo'] }>
  >()
})

test('Orange Money settles in francs, which have no minor unit', () => {
  expectTypeOf<OrangeMoneyConfig['settlementCurrency']>().toEqualTypeOf<'XAF'>()
})
