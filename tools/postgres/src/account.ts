import { execaSync } from 'execa'

/** The options for `spawn` that select PostgreSQL's account; empty if the current user can run it. */
export type Account = { uid?: number; gid?: number }

// PostgreSQL refuses to run as root. Every Unix has one of these accounts, so none has to be created.
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

/** Asks the kernel with that account, because modes, ACLs and mounts of the whole path decide. */
export function canReach(account: Account, path: string): boolean {
  const options = { ...account, cwd: '/', reject: false }
  return execaSync('/bin/sh', ['-c', 'test -x "$1"', 'sh', path], options).exitCode === 0
}

function idOf(flag: '-u' | '-g', name: string): number | undefined {
  const { exitCode, stdout } = execaSync('id', [flag, name], { reject: false })
  return exitCode === 0 ? Number(stdout) : undefined
}
