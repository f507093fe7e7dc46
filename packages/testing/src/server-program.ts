import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The folder of the bundles, in the environment of a run that has made them. */
export const BUNDLED_SERVERS = 'BUNDLED_SERVERS'

/** What a test runs as this server: a bundle of the working tree, or else its sources. */
export function serverProgram(app: 'api' | 'worker'): string {
  const folder = process.env[BUNDLED_SERVERS]
  return folder
    ? join(folder, `apps/${app}/src/main.mjs`)
    : fileURLToPath(new URL(`../../../apps/${app}/src/main.ts`, import.meta.url))
}
