import { createServer, type Server, type ServerResponse } from 'node:http'
import type { Clock } from '@merchant-payments/core'
import { type Database, isReady as isDatabaseReady } from '@merchant-payments/db'
import type { Schedule } from './schedule.ts'

const DATABASE_TIMEOUT_MS = 1_000

export interface InternalDeps {
  readonly db: Pick<Database, 'reader'>
  readonly clock: Clock
  /** Undefined until the passes run. */
  readonly schedule: () => Pick<Schedule, 'lastEnds' | 'overdue'> | undefined
  readonly stopping: () => boolean
}

export function internalServer(deps: InternalDeps): Server {
  return createServer((request, response) => {
    if (request.url === '/healthz') answerLiveness(deps, response)
    else if (request.url === '/readyz') void answerReadiness(deps, response)
    else answer(response, 404, { error: 'unknown_route' })
  })
}

/** Alive: every pass returns in time. An overdue pass keeps its locks and leases until the process ends. */
function answerLiveness({ schedule }: InternalDeps, response: ServerResponse): void {
  const overdue = schedule()?.overdue() ?? []
  if (overdue.length === 0) answer(response, 200, { status: 'ok' })
  else answer(response, 503, { status: 'pass_overdue', passes: overdue })
}

/** Ready: alive, its passes run, not stopping, and the database takes writes and has the schema that this code needs or a newer one. */
export async function isReady({ db, schedule, stopping }: InternalDeps): Promise<boolean> {
  const ofDatabase = await Promise.race([isDatabaseReady(db.reader), tooLate()]).catch(() => false)
  return ofDatabase && !stopping() && schedule()?.overdue().length === 0
}

async function answerReadiness(deps: InternalDeps, response: ServerResponse): Promise<void> {
  const ready = await isReady(deps)
  const nowMs = deps.clock()
  const ages = [...(deps.schedule()?.lastEnds() ?? [])].map(([pass, atMs]) => [
    pass,
    atMs === null ? null : nowMs - atMs,
  ])
  answer(response, ready ? 200 : 503, { ready, last_pass_ages_ms: Object.fromEntries(ages) })
}

const tooLate = (): Promise<false> =>
  new Promise((resolve) => {
    AbortSignal.timeout(DATABASE_TIMEOUT_MS).addEventListener('abort', () => resolve(false), { once: true })
  })

function answer(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json', connection: 'close' })
  response.end(JSON.stringify(body))
}
