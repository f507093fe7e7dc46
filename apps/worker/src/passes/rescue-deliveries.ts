import {
  type Deps,
  findLostDeliveries,
  idOf,
  type LostDelivery,
  type RescueCursor,
  rescueDeliveries,
  runBatch,
} from '@merchant-payments/core'
import type { PassReport } from './pass.ts'
import { reasonOf } from './reason-of.ts'

type RescueDeps = Pick<Deps, 'db' | 'clock' | 'alert'>

export interface RescueReport extends PassReport {
  readonly rescued: number
}

/** Spec 6.3.8: makes a job again for each pending delivery whose job vanished, in bounded steps over all of them. */
export async function rescueLostDeliveries(deps: RescueDeps): Promise<RescueReport> {
  let rescued = 0
  let cursor: RescueCursor | null = null
  do {
    const { lost, next } = await findLostDeliveries(deps.db.reader, cursor)
    rescued += await rescue(deps, lost)
    cursor = next
  } while (cursor !== null)
  return { rescued, full: false }
}

async function rescue({ db, clock, alert }: RescueDeps, lost: readonly LostDelivery[]): Promise<number> {
  const counts = await runBatch(lost, {
    write: async (some) => [await rescueDeliveries(db.writer, some, clock())],
    onRefused: ({ id }, error) => {
      alert('row_refused', { pass: 'rescue-deliveries', row: idOf('wd', id), error: reasonOf(error) })
      return Promise.resolve(0)
    },
  })
  return counts.reduce((sum, count) => sum + count, 0)
}
