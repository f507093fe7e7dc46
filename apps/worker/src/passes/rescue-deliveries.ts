import {
  type Deps,
  findLostDeliveries,
  idOf,
  type LostDelivery,
  type RescueCursor,
  rescueDeliveries,
  sweepRows,
  uuidOf,
} from '@merchant-payments/core'
import type { PassReport } from './pass.ts'

type RescueDeps = Pick<Deps, 'db' | 'clock' | 'alert'>

export interface RescueReport extends PassReport {
  readonly rescued: number
}

/** Spec 6.3.8: recreates the job of each pending delivery that has none, in bounded steps over all deliveries. */
export async function rescueLostDeliveries(deps: RescueDeps): Promise<RescueReport> {
  let rescued = 0
  let cursor: RescueCursor | null = null
  do {
    const { lost, next } = await findLostDeliveries(deps.db.reader, cursor, deps.clock())
    rescued += await rescue(deps, lost)
    cursor = next
  } while (cursor !== null)
  return { rescued, full: false }
}

const rescue = (deps: RescueDeps, lost: readonly LostDelivery[]): Promise<number> =>
  sweepRows(deps, lost, {
    sweep: 'rescue-deliveries',
    write: (some, { writer }) => rescueDeliveries(writer, some, deps.clock()),
    keyOf: ({ id }) => uuidOf(idOf('wd', id)),
    idOf: ({ id }) => idOf('wd', id),
  })
