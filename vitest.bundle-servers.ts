import { bundleServers } from './packages/testing/src/bundled-servers.ts'
import { BUNDLED_SERVERS } from './packages/testing/src/server-program.ts'

/** The workers inherit the variable. */
export async function setup(): Promise<void> {
  process.env[BUNDLED_SERVERS] = await bundleServers()
}
