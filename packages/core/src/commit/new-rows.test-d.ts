import { expectTypeOf, test } from 'vitest'
import { type NewRow, newRows } from './new-rows.ts'

const counters = newRows('invoice_counters', { merchant_id: 'text', last_number: 'integer' })
const sessions = newRows('checkout_sessions', { status: 'text', metadata: 'jsonb' })

test('a new row has each declared column of its table, with a value that the column takes', () => {
  expectTypeOf<NewRow<typeof counters>>().toEqualTypeOf<{
    readonly merchant_id: string
    readonly last_number: number
  }>()
  // A new row starts in the first state.
  expectTypeOf<NewRow<typeof sessions>['status']>().toEqualTypeOf<'open'>()
  expectTypeOf<{ merchant_id: string }>().not.toExtend<NewRow<typeof counters>>()
  // @ts-expect-error a column that the table does not have
  newRows('invoice_counters', { merchant_id: 'text', number: 'integer' })
})
