import { readdir, readFile } from 'node:fs/promises'
import type { System } from './system.ts'

/** Milliseconds that a process used since its start, in user and in kernel mode. */
export interface ProcessorTime {
  readonly api: number
  readonly worker: number
  /** The server with all its processes, also those that have ended. */
  readonly postgres: number
}

/** Linux counts processor time in hundredths of a second (`getconf CLK_TCK`). */
const TICK_MS = 10

/** The processor time of the measured processes so far; null on a system without /proc. */
export async function readProcessorTime({ api, worker, database }: System): Promise<ProcessorTime | null> {
  const { rows } = await database.client.query<{ pid: number }>('select pg_backend_pid() as pid')
  const backend = await statOf(rows[0]?.pid ?? 0)
  const apiStat = await statOf(api.pid)
  const workerStat = await statOf(worker.pid)
  if (backend === null || apiStat === null || workerStat === null) return null
  return { api: apiStat.usedMs, worker: workerStat.usedMs, postgres: await usedByTree(backend.parent) }
}

async function usedByTree(root: number): Promise<number> {
  const names = await readdir('/proc')
  const stats = await Promise.all(
    names.filter((name) => /^\d+$/.test(name)).map((name) => statOf(Number(name))),
  )
  const ofTree = stats.filter((stat) => stat !== null && (stat.pid === root || stat.parent === root))
  const own = ofTree.reduce((sum, stat) => sum + (stat?.usedMs ?? 0), 0)
  return own + (ofTree.find((stat) => stat?.pid === root)?.usedByEndedMs ?? 0)
}

/** Reads /proc/PID/stat (proc_pid_stat(5)); null if the process has ended. */
async function statOf(pid: number) {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => null)
  if (text === null) return null
  // The second field is the program's name in parentheses, which may contain spaces.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  const field = (number: number) => Number(fields[number - 3])
  return {
    pid,
    parent: field(4),
    usedMs: (field(14) + field(15)) * TICK_MS,
    usedByEndedMs: (field(16) + field(17)) * TICK_MS,
  }
}
