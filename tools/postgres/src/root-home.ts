import { chmod, mkdir } from 'node:fs/promises'

// Only root can write here, so unlike in the temp folder nobody can plant a binary. All users can read it.
const ROOT_HOME = '/var/lib/merchant-payments-dev'

/** For root only: a folder that the server's account can reach when the checkout is out of its reach. */
export async function rootHome(): Promise<string> {
  await mkdir(ROOT_HOME, { recursive: true })
  // Set explicitly, because root's umask is often 077.
  await chmod(ROOT_HOME, 0o755)
  return ROOT_HOME
}
