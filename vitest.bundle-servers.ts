import { BUNDLED_SERVERS, bundleServers } from './packages/testing/src/bundled-servers.ts'

/** The workers inherit the variable. */
export async function setup(): Promise<void> {
  process.env[BUNDLED_SERVERS] = await bundleServers()
}
