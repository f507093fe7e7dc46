import type { Server } from 'node:http'
import type { Database } from '@merchant-payments/db'
import { createInternalServer, isDatabaseReady } from '@merchant-payments/process'

/** Ready if started and not stopping, the database takes writes, and its schema is recent enough for this code. */
export interface Readiness {
  /** While the process starts. Requests that come before wait for it. */
  starting?: Promise<void> | undefined
  stopping: boolean
}

/** Liveness is also served to clients. Here a probe finds a connection while clients hold all of theirs. */
export function internalServer(db: Pick<Database, 'reader'>, readiness: Readiness): Server {
  return createInternalServer({
    live: () => ({ ok: true, body: { status: 'ok' } }),
    ready: async () => {
      const ready = await isReady(db, readiness)
      return { ok: ready, body: { ready } }
    },
  })
}

export async function isReady(
  db: Pick<Database, 'reader'>,
  { starting, stopping }: Readiness,
): Promise<boolean> {
  return starting === undefined && !stopping && (await isDatabaseReady(db))
}
