import type { Deps } from '@merchant-payments/core'
import { describe, expectTypeOf, test } from 'vitest'
import type { BrowserHandlers } from '../src/browser/handlers.ts'
import type { DashHandlers } from '../src/dash/handlers.ts'
import { handlers, type V1Handlers } from '../src/v1/handlers.ts'
import { refunds } from '../src/v1/refunds.ts'

declare const deps: Deps

describe('the handlers of a surface', () => {
  test('must exist for each declared operation', () => {
    // @ts-expect-error -- the operations of the other resources are missing
    const table: V1Handlers = refunds(deps)
    expectTypeOf(table).toEqualTypeOf<V1Handlers>()
  })

  test('are limited to its own operations', () => {
    expectTypeOf<keyof BrowserHandlers>().toEqualTypeOf<
      | 'retrieveIntentInBrowser'
      | 'retrieveSessionInBrowser'
      | 'confirmIntentInBrowser'
      | 'retrieveAccountHolderInBrowser'
    >()
    expectTypeOf<keyof V1Handlers & keyof DashHandlers>().toEqualTypeOf<never>()
  })

  test('receive what the operation declares, and a key if it requires one', () => {
    handlers({
      // @ts-expect-error -- the answer is not a refund
      retrieveRefund: ({ params }) => Promise.resolve({ id: params.id }),
      // @ts-expect-error -- a GET has no key
      listRefunds: ({ claim }) => Promise.resolve(String(claim)),
    })
    expectTypeOf<Parameters<V1Handlers['createRefund']>[0]>().toHaveProperty('claim')
    expectTypeOf<Parameters<DashHandlers['lookUp']>[0]>().toHaveProperty('logged')
    expectTypeOf<Parameters<DashHandlers['queryCharge']>[0]>().toHaveProperty('request')
  })
})
