import { Refusal } from '@merchant-payments/contract'
import { describe, expect, test } from 'vitest'
import { priceOf } from './item.ts'

const before = { unitAmountMinor: 300, quantity: 2 }
const nothing = { amountMinor: undefined, unitAmountMinor: undefined, quantity: undefined }

describe('the price of a line', () => {
  test.each([
    ['nothing', {}, [600, 300, 2]],
    ['an amount', { amountMinor: -70 }, [-70, -70, 1]],
    ['a unit amount', { unitAmountMinor: -7 }, [-14, -7, 2]],
    ['a quantity', { quantity: 3 }, [900, 300, 3]],
    ['both', { unitAmountMinor: 5, quantity: 4 }, [20, 5, 4]],
    ['the largest', { unitAmountMinor: 99_999_999, quantity: 1 }, [99_999_999, 99_999_999, 1]],
    ['the largest credit', { unitAmountMinor: -99_999_999, quantity: 1 }, [-99_999_999, -99_999_999, 1]],
  ])('follows from %s', (_, sent, [amountMinor, unitAmountMinor, quantity]) => {
    expect(priceOf({ ...nothing, ...sent }, before)).toEqual({ amountMinor, unitAmountMinor, quantity })
  })

  test.each([
    ['unit_amount', { unitAmountMinor: 50_000_000 }],
    ['unit_amount', { unitAmountMinor: -50_000_000 }],
    ['quantity', { quantity: 333_334 }],
    ['quantity', { unitAmountMinor: 50_000_000, quantity: 2 }],
  ])('beyond the largest amount is refused by naming %s', (param, sent) => {
    const refusal = priceOf({ ...nothing, ...sent }, before)
    expect(refusal).toBeInstanceOf(Refusal)
    expect(refusal).toMatchObject({ code: 'invalid_request', param })
  })
})
