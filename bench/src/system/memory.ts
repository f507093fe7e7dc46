import { readFile } from 'node:fs/promises'

export interface Memory {
  readonly nowMb: number
  readonly peakMb: number
}

/** The resident memory of a process; null on a system without /proc. */
export async function memoryOf(pid: number): Promise<Memory | null> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => null)
  if (status === null) return null
  return { nowMb: megabytes(status, 'VmRSS'), peakMb: megabytes(status, 'VmHWM') }
}

const megabytes = (status: string, name: string): number =>
  Math.round(Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]) / 1024)
