import { createServer, type Server, type ServerResponse } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import type { Database } from '@merchant-payments/db'
import { isReady as isDatabaseReady } from '@merchant-payments/db'

/** Time after which the database counts as unavailable. */
const DATABASE_TIMEOUT_MS = 1_000

/** Ready if started and not stopping, the database takes writes, and its schema is recent enough for this code. */
export interface Readiness {
  /** While the process starts. Requests that come before wait for it. */
  starting?: Promise<void> | undefined
  stopping: boolean
}

/**
 * Serves readiness and liveness on an internal port. Liveness is also served to clients. Here a probe finds a
 * connection while clients hold all of theirs.
 */
export function internalServer(db: Pick<Database, 'reader'>, readiness: Readiness): Server {
  return createServer((request, response) => {
    if (request.url === '/healthz') answer(response, 200, { status: 'ok' })
    else if (request.url === '/readyz') {
      void isReady(db, readiness).then((ready) => answer(response, ready ? 200 : 503, { ready }))
    } else response.writeHead(404).end()
  })
}

function answer(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

export async function isReady(
  db: Pick<Database, 'reader'>,
  { starting, stopping }: Readiness,
): Promise<boolean> {
  if (starting !== undefined || stopping) return false
  try {
    return await Promise.race([isDatabaseReady(db.reader), delay(DATABASE_TIMEOUT_MS, false, { ref: false })])
  } catch {
    return false
  }
}
