import { chmod, mkdir } from 'node:fs/promises'

// Only root writes here, so unlike in the temp folder nobody can plant a binary, and all may pass through.
const ROOT_HOME = '/var/lib/merchant-payments-dev'

/** For root alone: a place that the account of the server can reach when the clone itself is out of its reach. */
export async function rootHome(): Promise<string> {
  await mkdir(ROOT_HOME, { recursive: true })
  // Not left to the umask, which is often 077 for root.
  await chmod(ROOT_HOME, 0o755)
  return ROOT_HOME
}
