import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** What the tests start dozens of times. */
export const programs = [
  'apps/api/src/main.ts',
  'apps/worker/src/main.ts',
  'tools/cli/src/main.ts',
  'tools/database/src/merchant-move.ts',
] as const

/** The folder of the bundles, in the environment of a run that has made them. */
export const BUNDLED_PROGRAMS = 'BUNDLED_PROGRAMS'

/** What a test runs as this program: a bundle of the working tree, or else its sources. */
export function bundledProgram(path: (typeof programs)[number]): string {
  const folder = process.env[BUNDLED_PROGRAMS]
  return folder
    ? join(folder, path.replace(/\.ts$/, '.mjs'))
    : fileURLToPath(new URL(`../../../${path}`, import.meta.url))
}
