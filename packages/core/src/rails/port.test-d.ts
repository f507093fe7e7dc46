import { expectTypeOf, test } from 'vitest'
import type { pullForward } from '../charges/store.ts'
import type { CallbackReference, RailAdapter } from './port.ts'

test('what a callback says has no room for a status (spec 1.6)', () => {
  expectTypeOf<CallbackReference>().toEqualTypeOf<{
    readonly by: 'reference' | 'callback_secret'
    readonly value: string
  }>()
  type Parsed = ReturnType<RailAdapter['parseCallbackQuery' | 'parseCallbackBody']>
  expectTypeOf<Parsed>().toEqualTypeOf<CallbackReference | null>()
  expectTypeOf<Parameters<typeof pullForward>[2]>().toEqualTypeOf<CallbackReference>()
  // @ts-expect-error
  const withStatus: CallbackReference = { by: 'reference', value: 'r', status: 'SUCCESSFUL' }
  expectTypeOf(withStatus).toEqualTypeOf<CallbackReference>()
})

test('pulling a query forward tells its caller nothing', () => {
  expectTypeOf<ReturnType<typeof pullForward>>().toEqualTypeOf<Promise<void>>()
})

test('a rail answers outcomes: there is no failure that is not spelled out', () => {
  expectTypeOf<Awaited<ReturnType<RailAdapter['submitCharge']>>['kind']>().toEqualTypeOf<
    'accepted' | 'declined' | 'not_sent' | 'unknown'
  >()
  expectTypeOf<Awaited<ReturnType<RailAdapter['queryCharge']>>['kind']>().toEqualTypeOf<
    'pending' | 'succeeded' | 'failed' | 'not_found' | 'unknown_status' | 'unavailable' | 'held_back'
  >()
})
