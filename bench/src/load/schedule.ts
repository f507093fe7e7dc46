import { setTimeout as delay } from 'node:timers/promises'
import { nowMs } from '../clock.ts'
import type { Connection } from './connection.ts'

/**
 * Requests at fixed instants, whatever the answers take: each has its instant, and its latency counts from there, however
 * late a connection was free for it. Ends when all are answered.
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
