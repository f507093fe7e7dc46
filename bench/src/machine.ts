import { closeSync, fdatasyncSync, openSync, writeSync } from 'node:fs'
import { cpus } from 'node:os'
import { join } from 'node:path'
import { nowMs } from './clock.ts'
import { median } from './rounds.ts'
import type { System } from './system/system.ts'

export interface Machine {
  readonly cores: number
  readonly cpu: string
  readonly node: string
  readonly postgres: string
  /** The lower bound of a commit's wait: tens of us and more on a disk, almost 0 where sync is not honoured. */
  readonly fdatasyncUs: number
}

export async function describeMachine({ database, folder }: System): Promise<Machine> {
  const { rows } = await database.client.query<{ server_version: string }>('show server_version')
  const processors = cpus()
  return {
    cores: processors.length,
    cpu: processors[0]?.model ?? 'unknown',
    node: process.version,
    postgres: rows[0]?.server_version ?? 'unknown',
    fdatasyncUs: timeOfSync(join(folder, 'fdatasync')),
  }
}

const WRITES = 200
const PAGE = Buffer.alloc(8192)

function timeOfSync(path: string): number {
  const file = openSync(path, 'w')
  const timesUs = Array.from({ length: WRITES }, () => {
    const startMs = nowMs()
    writeSync(file, PAGE, 0, PAGE.length, 0)
    fdatasyncSync(file)
    return (nowMs() - startMs) * 1000
  })
  closeSync(file)
  return Math.round(median(timesUs))
}
