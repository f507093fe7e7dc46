import { lockCustomer } from '../store.ts'
import type { CustomerId, MerchantId } from '../../base/ids.ts'
import { beginErasure, type ErasureDeps, eraseOn } from './erase.ts'
import type { Erasure } from './jobs/store.ts'
import { listIdleCustomers } from './store.ts'

/** Spec 8: a customer who was idle longer is erased. */
const RETENTION_MS = 365 * 24 * 60 * 60 * 1_000

/** Customers of one sweep. */
export const IDLE_MAX = 100

/** One sweep: erases customers who were last used too long ago, each as a DELETE does. @returns how many were found */
export async function eraseIdleCustomers(deps: ErasureDeps): Promise<number> {
  const nowMs = deps.clock()
  const cutoffMs = nowMs - RETENTION_MS
  const idle = await listIdleCustomers(deps.db.reader, cutoffMs, IDLE_MAX)
  const failures: unknown[] = []
  for (const customer of idle) {
    const erased = begin(deps, customer, { cutoffMs, nowMs }).then(
      (erasure) => erasure && eraseOn(deps, erasure, 'sweep'),
    )
    await erased.catch((error: unknown) => failures.push(error))
  }
  // Only now, so that one who cannot be erased keeps nobody else.
  if (failures.length > 0) throw failures[0]
  return idle.length
}

function begin(
  { db }: ErasureDeps,
  { merchantId, id }: { merchantId: MerchantId; id: CustomerId },
  { cutoffMs, nowMs }: { cutoffMs: number; nowMs: number },
): Promise<Erasure | null> {
  return db.transact(async (tx) => {
    // One whose row is locked is being used or erased: the next sweep looks again.
    const { found } = await lockCustomer(tx, merchantId, id, 'skip_locked')
    if (found === undefined || found.erasedAtMs !== null || found.lastUsedAtMs >= cutoffMs) return null
    return (await beginErasure(tx, found, { requestId: null, nowMs })).erasure
  })
}
