import { expectTypeOf, test } from 'vitest'
import { rowsJson } from './rows-json.ts'

test('a nested value that could hold a null is refused, because the null would be lost', () => {
  expectTypeOf(rowsJson<{ metadata: { order: string } }>).toBeFunction()
  // @ts-expect-error the value of a key may be null
  expectTypeOf(rowsJson<{ facts: { order: string | null } }>).toBeFunction()
})
