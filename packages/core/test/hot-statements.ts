import type { Session } from '@merchant-payments/db'
import type { BigTables } from './big-tables.ts'

/** By name: the pages of 8 kB that each statement of a run may touch, and the run. */
export type HotStatements = Readonly<Record<string, readonly [pagesMax: number, run: HotRun]>>

type HotRun = (db: Session, big: BigTables) => Promise<unknown>
