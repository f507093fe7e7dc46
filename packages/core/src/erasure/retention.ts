import { lockCustomer } from '../customers/store.ts'
import type { Deps } from '../deps.ts'
import { eraseCustomer } from './erase.ts'
import { listIdleCustomers } from './store.ts'

/** Spec 8: a customer who was idle longer is erased. */
const RETENTION_MS = 365 * 24 * 60 * 60 * 1_000

/** Customers of one sweep. */
export const IDLE_MAX = 100

/** One sweep: erases customers who were last used too long ago, each in a transaction of its own. @returns how many were found */
export async function eraseIdleCustomers({ db, clock }: Pick<Deps, 'db' | 'clock'>): Promise<number> {
  const nowMs = clock()
  const cutoffMs = nowMs - RETENTION_MS
  const idle = await listIdleCustomers(db.reader, cutoffMs, IDLE_MAX)
  const failures: unknown[] = []
  for (const { merchantId, id } of idle) {
    const erased = db.transact(async (tx) => {
      const { found } = await lockCustomer(tx, merchantId, id)
      // Named or erased since it was listed, it is idle no longer.
      if (found === undefined || found.erasedAtMs !== null || found.lastUsedAtMs >= cutoffMs) return
      await eraseCustomer(tx, found, { requestId: null, nowMs })
    })
    await erased.catch((error: unknown) => failures.push(error))
  }
  // Only now, so that one who cannot be erased keeps nobody else.
  if (failures.length > 0) throw failures[0]
  return idle.length
}
