import type { Reader, Writer } from '@merchant-payments/db'
import type { BigTables } from './big-tables.ts'

/** By name: the pages of 8 kB that each statement of a run may touch, and the run. */
export type HotStatements = Readonly<Record<string, readonly [pagesMax: number, run: HotRun]>>

type HotRun = (db: HotDb, big: BigTables) => Promise<unknown>

export interface HotDb {
  readonly reader: Reader
  readonly writer: Writer
}
