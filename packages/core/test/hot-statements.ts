import type { Reader, Writer } from '@merchant-payments/db'
import type { BigTables } from './big-tables.ts'

/** By name: how many pages of 8 kB each run may touch of each of its statements, and what runs them. */
export type HotStatements = Readonly<Record<string, readonly [pagesMax: number, run: HotRun]>>

type HotRun = (db: HotDb, big: BigTables) => Promise<unknown>

export interface HotDb {
  readonly reader: Reader
  readonly writer: Writer
}
