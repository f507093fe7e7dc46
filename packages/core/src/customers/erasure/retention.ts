import { DAY_MS } from '../../base/clock.ts'
import { lockCustomer } from '../store.ts'
import { type CustomerId, type MerchantId, uuidOf } from '../../base/ids.ts'
import { sweepRows } from '../../queue/sweep-rows.ts'
import { beginErasure, type ErasureDeps, eraseOn } from './erase.ts'
import type { Erasure } from './jobs-store.ts'
import { listIdleCustomers } from './store.ts'

/** Spec 8. */
const RETENTION_MS = 365 * DAY_MS

export const IDLE_MAX = 100

interface IdleReport {
  readonly begun: number
  /** Whether more may be left. False if nothing was begun, because other transactions hold all that were found. */
  readonly full: boolean
}

export async function eraseIdleCustomers(deps: ErasureDeps): Promise<IdleReport> {
  const nowMs = deps.clock()
  const cutoffMs = nowMs - RETENTION_MS
  const idle = await listIdleCustomers(deps.db.reader, cutoffMs, nowMs, IDLE_MAX)
  let begun = 0
  for (const customer of idle) {
    // One at a time, because an erasure takes as long as its copies need.
    await sweepRows(deps, [customer], {
      sweep: 'erase-idle-customers',
      write: async () => {
        const erasure = await begin(deps, customer, cutoffMs)
        if (erasure === null) return 0
        begun += 1
        await eraseOn(deps, erasure, 'sweep')
        return 1
      },
      keyOf: ({ merchantId, id }) => `${merchantId} ${uuidOf(id)}`,
      idOf: ({ id }) => id,
    })
  }
  return { begun, full: begun > 0 && idle.length === IDLE_MAX }
}

function begin(
  deps: ErasureDeps,
  { merchantId, id }: { merchantId: MerchantId; id: CustomerId },
  cutoffMs: number,
): Promise<Erasure | null> {
  return deps.db.transact(async (tx) => {
    // A locked customer is being used or erased. The next sweep looks again.
    const { found } = await lockCustomer(tx, merchantId, id, 'skip')
    if (found === undefined || found.erasedAtMs !== null || found.lastUsedAtMs >= cutoffMs) return null
    return (await beginErasure(deps, tx, found, null)).erasure
  })
}
