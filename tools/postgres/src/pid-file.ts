import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

type PidFile = { pid: number; port: number; ready: boolean }

export const pidFilePath = (cluster: string): string => join(cluster, 'postmaster.pid')

/** PostgreSQL's own lock file, which pg_ctl reads too: the process id on line 1, the port on 4, the state on 8. */
export async function readPidFile(cluster: string): Promise<PidFile | undefined> {
  const text = await readFile(pidFilePath(cluster), 'utf8').catch(() => '')
  const lines = text.split('\n')
  const [pid, port] = [Number(lines[0]), Number(lines[3])]
  // The server writes the file in pieces, so an incomplete file counts as absent.
  if (!(pid > 0 && port > 0)) return undefined
  return { pid, port, ready: ['ready', 'standby'].includes(lines[7]?.trim() ?? '') }
}
