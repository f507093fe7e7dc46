import type { Duplex } from 'node:stream'
import type pg from 'pg'

/** The parts in which the time passes. */
const PARTS = 20

/**
 * Connects, or fails when the time is over. The time passes in parts, and the process reads its sockets after each. A
 * single timer would fail a process that was busy for the whole time, although the server had answered.
 */
export async function connectWithin(client: pg.Client, timeoutMs: number): Promise<void> {
  let passed = 0
  const timer = setInterval(() => {
    passed += 1
    if (passed < PARTS) return
    const { stream } = (client as unknown as { connection: { stream: Duplex } }).connection
    stream.destroy(new Error('timeout expired'))
  }, timeoutMs / PARTS)
  try {
    await client.connect()
  } finally {
    clearInterval(timer)
  }
}
