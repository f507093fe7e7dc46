import type { ServerResponse } from 'node:http'
import { nowMs } from '../clock.ts'

export interface Received {
  readonly body: string
  readonly atMs: number
}

/** More than any run of this benchmark makes. */
const RECEIVED_MAX = 500_000

export function createReceiver() {
  const received: Received[] = []
  return {
    take: (body: string, response: ServerResponse): void => {
      const room = received.length < RECEIVED_MAX
      if (room) received.push({ body, atMs: nowMs() })
      response.writeHead(room ? 200 : 507, { 'content-length': 0 }).end()
    },
    soFar: () => ({ count: received.length, lastAtMs: received.at(-1)?.atMs ?? 0 }),
    received: (): readonly Received[] => received,
  }
}
