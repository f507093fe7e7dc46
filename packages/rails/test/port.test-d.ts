import type { RailAdapter, Rails } from '@merchant-payments/core'
import { expectTypeOf, test } from 'vitest'
import { buildRails, createMtnMomo, type MtnMomoConfig } from '../src/index.ts'

test('the adapter is a rail, and the rails are a map of them', () => {
  expectTypeOf(createMtnMomo).toEqualTypeOf<(config: MtnMomoConfig) => RailAdapter>()
  expectTypeOf(buildRails).returns.toEqualTypeOf<Rails>()
})

test('a configuration for another adapter does not compile', () => {
  expectTypeOf<{ adapter: 'other' }>().not.toExtend<Parameters<typeof buildRails>[0][number]>()
})
