import type { Server } from 'node:http'
import type { Clock } from '@merchant-payments/core'
import type { Database } from '@merchant-payments/db'
import { createInternalServer, isDatabaseReady } from '@merchant-payments/process'
import type { Schedule } from './schedule.ts'

export interface InternalDeps {
  readonly db: Pick<Database, 'reader'>
  readonly clock: Clock
  /** Undefined until the passes run. */
  readonly schedule: () => Pick<Schedule, 'lastEnds' | 'overdue'> | undefined
  readonly stopping: () => boolean
}

export function internalServer(deps: InternalDeps): Server {
  return createInternalServer({
    live: () => {
      // An overdue pass keeps its locks and leases until the process ends.
      const overdue = deps.schedule()?.overdue() ?? []
      if (overdue.length === 0) return { ok: true, body: { status: 'ok' } }
      return { ok: false, body: { status: 'pass_overdue', passes: overdue } }
    },
    ready: async () => {
      const ready = await isReady(deps)
      return { ok: ready, body: { ready, last_pass_ages_ms: passAgesMs(deps) } }
    },
  })
}

export async function isReady({ db, schedule, stopping }: InternalDeps): Promise<boolean> {
  const databaseReady = await isDatabaseReady(db)
  return databaseReady && !stopping() && schedule()?.overdue().length === 0
}

function passAgesMs({ clock, schedule }: InternalDeps): Readonly<Record<string, number | null>> {
  const nowMs = clock()
  const ends = [...(schedule()?.lastEnds() ?? [])]
  return Object.fromEntries(ends.map(([pass, atMs]) => [pass, atMs === null ? null : nowMs - atMs]))
}
