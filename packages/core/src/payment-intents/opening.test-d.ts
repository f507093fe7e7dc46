import { expectTypeOf, test } from 'vitest'
import type { PlainCharge, WantedCharge } from './opening.ts'
import { openCharges } from './opening-store.ts'

declare const plain: PlainCharge
declare const any: WantedCharge
declare const writer: Parameters<typeof openCharges>[0]

test('a charge with a session, a named customer or a released key never shares a statement', () => {
  expectTypeOf<WantedCharge>().not.toExtend<PlainCharge>()
  void openCharges(writer, [plain, plain])
  void openCharges(writer, [any])
  // @ts-expect-error
  void openCharges(writer, [plain, any])
})
