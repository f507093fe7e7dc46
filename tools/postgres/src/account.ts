import { spawnSync } from 'node:child_process'

/** What `spawn` needs to run PostgreSQL as; empty if the current user can do it. */
export type Account = { uid?: number; gid?: number }

// PostgreSQL refuses to run as root. Every Unix has one of these, so that we never have to add a user to it.
const CANDIDATES = ['postgres', '_postgres', 'nobody']

export function serverAccount(): Account {
  if (!isRoot()) return {}
  for (const name of CANDIDATES) {
    const [uid, gid] = [idOf('-u', name), idOf('-g', name)]
    if (uid !== undefined && gid !== undefined) return { uid, gid }
  }
  throw new Error(`PostgreSQL cannot run as root, and this system has none of ${CANDIDATES.join(', ')}`)
}

export const isRoot = (): boolean => process.getuid?.() === 0

/** Asks the kernel as that account, since modes, ACLs and mounts on the whole path decide. */
export function canReach(account: Account, path: string): boolean {
  const options = { ...account, cwd: '/' }
  return spawnSync('/bin/sh', ['-c', 'test -x "$1"', 'sh', path], options).status === 0
}

function idOf(flag: '-u' | '-g', name: string): number | undefined {
  const { status, stdout } = spawnSync('id', [flag, name], { encoding: 'utf8' })
  return status === 0 ? Number(stdout) : undefined
}
