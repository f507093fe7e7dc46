import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { hoverTextsOf } from './hover-texts.ts'
import { testFolder } from './test-folder.ts'

const declarations = `
interface Hidden {
  unsaid: number
}
/** Described. */
export interface Options {
  /** Described. */
  said: number
  unsaid: Promise<Hidden[]>
}
export type Answer =
  | {
      /** Described. */
      kind: 'a'
    }
  | { kind: 'b' }
/** Described. */
export declare function open(options: {
  unsaid: boolean
}): {
  unsaid: boolean
}
export declare class Failure extends Error {
  constructor(details: {
    /** Described. */
    said: boolean
    unsaid: boolean
  })
}
export {}
`

test('finds names without a description in unions, parameters and results, but not those of the language', async () => {
  const folder = await testFolder()
  const file = join(folder, 'index.d.mts')
  await writeFile(file, declarations)
  expect(hoverTextsOf(file)).toEqual({
    described: 5,
    undescribed: [
      'open(options).unsaid',
      'open().unsaid',
      'Options.unsaid',
      'Options.unsaid.unsaid',
      'Answer',
      'Answer.kind',
      'Failure',
      'Failure(details).unsaid',
    ],
  })
})
