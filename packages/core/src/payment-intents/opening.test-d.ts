import { expectTypeOf, test } from 'vitest'
import type { PlainCharge, WantedCharge } from './opening.ts'
import { openCharges } from './opening-store.ts'
import type { Writes } from '../commit/writes.ts'
import type { Transition } from './transition.ts'
import { transitions } from './transitions.ts'

declare const plain: PlainCharge
declare const any: WantedCharge
declare const writer: Parameters<typeof openCharges>[0]
declare const writes: Writes
declare const transition: Transition

test('a charge with a session, a named customer or a released key never shares a statement', () => {
  expectTypeOf<WantedCharge>().not.toExtend<PlainCharge>()
  void openCharges(writer, [plain, plain])
  void openCharges(writer, [any])
  // @ts-expect-error
  void openCharges(writer, [plain, any])
})

test('a transition that claims a key never shares a statement', () => {
  void writes.together(transitions, { transition: { ...transition, key: null }, nowMs: 0 })
  // @ts-expect-error
  void writes.together(transitions, { transition, nowMs: 0 })
})
