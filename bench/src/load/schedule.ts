import { setTimeout as delay } from 'node:timers/promises'
import { nowMs } from '../clock.ts'
import type { Connection } from './connection.ts'

/**
 * Sends requests at fixed instants, independent of the answers. Latency counts from the instant, also if a
 * connection became free later. Resolves when all are answered.
 *
 * @param exchange gets the instant in milliseconds
 */
export async function onSchedule(
  connections: readonly Connection[],
  { everyMs, durationMs }: { everyMs: number; durationMs: number },
  exchange: (connection: Connection, atMs: number) => Promise<void>,
): Promise<void> {
  const startMs = nowMs()
  const count = Math.max(1, Math.floor(durationMs / everyMs))
  let next = 0
  await Promise.all(
    connections.map(async (connection) => {
      while (next < count) {
        const atMs = startMs + next * everyMs
        next += 1
        await delay(Math.max(0, atMs - nowMs()))
        await exchange(connection, atMs)
      }
    }),
  )
}
