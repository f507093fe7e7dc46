import { createServer, type Server, type ServerResponse } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { type Database, isReady } from '@merchant-payments/db'

/** Time after which the database counts as unavailable. */
const DATABASE_TIMEOUT_MS = 1_000

interface ProbeAnswer {
  readonly ok: boolean
  readonly body: object
}

interface Probes {
  readonly live: () => ProbeAnswer
  readonly ready: () => Promise<ProbeAnswer>
}

/** Serves liveness and readiness on an internal port. */
export function createInternalServer({ live, ready }: Probes): Server {
  return createServer((request, response) => {
    if (request.url === '/healthz') answerProbe(response, live())
    else if (request.url === '/readyz') void ready().then((answer) => answerProbe(response, answer))
    else answer(response, 404, { error: 'unknown_route' })
  })
}

const answerProbe = (response: ServerResponse, { ok, body }: ProbeAnswer) =>
  answer(response, ok ? 200 : 503, body)

function answer(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json', connection: 'close' })
  response.end(JSON.stringify(body))
}

/** Whether the database takes writes and has the schema that this code needs, or a newer one. */
export async function isDatabaseReady({ reader }: Pick<Database, 'reader'>): Promise<boolean> {
  try {
    return await Promise.race([isReady(reader), delay(DATABASE_TIMEOUT_MS, false, { ref: false })])
  } catch {
    return false
  }
}
