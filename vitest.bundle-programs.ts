import { bundlePrograms } from './packages/testing/src/bundled-programs.ts'
import { BUNDLED_PROGRAMS } from './packages/testing/src/bundled-program.ts'

/** The workers inherit the variable. */
export async function setup(): Promise<void> {
  process.env[BUNDLED_PROGRAMS] = await bundlePrograms()
}
