import { createServer, type Server } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import type { Database } from '@merchant-payments/db'
import { isReady as isDatabaseReady } from '@merchant-payments/db'

/** Time after which the database counts as unavailable. */
const DATABASE_TIMEOUT_MS = 1_000

/** Ready if not stopping, the database takes writes, and its schema is recent enough for this code. */
export interface Readiness {
  stopping: boolean
}

/** Serves readiness on an internal port. Liveness is /healthz, which does not use the database. */
export function internalServer(db: Database, readiness: Readiness): Server {
  return createServer((request, response) => {
    const path = request.url ?? '/'
    if (path !== '/readyz') {
      response.writeHead(404).end()
      return
    }
    void isReady(db, readiness).then((ready) => {
      response
        .writeHead(ready ? 200 : 503, { 'content-type': 'application/json' })
        .end(JSON.stringify({ ready }))
    })
  })
}

async function isReady(db: Database, { stopping }: Readiness): Promise<boolean> {
  if (stopping) return false
  try {
    return await Promise.race([isDatabaseReady(db.reader), delay(DATABASE_TIMEOUT_MS, false, { ref: false })])
  } catch {
    return false
  }
}
