import { nowMs } from '../clock.ts'
import type { Connection } from './connection.ts'

export interface Load {
  readonly done: number
  readonly elapsedMs: number
}

type Exchange = (connection: Connection) => Promise<void>

/** Each connection starts its next exchange while there is more to do. Exchanges under way at the end count too. */
export async function loopWhile(
  connections: readonly Connection[],
  hasMore: () => boolean,
  exchange: Exchange,
): Promise<Load> {
  const startMs = nowMs()
  let done = 0
  await Promise.all(
    connections.map(async (connection) => {
      while (hasMore()) {
        await exchange(connection)
        done += 1
      }
    }),
  )
  return { done, elapsedMs: nowMs() - startMs }
}

export function loopFor(
  connections: readonly Connection[],
  durationMs: number,
  exchange: Exchange,
): Promise<Load> {
  const endMs = nowMs() + durationMs
  return loopWhile(connections, () => nowMs() < endMs, exchange)
}

export const perSecond = ({ done, elapsedMs }: Load): number => (done * 1000) / elapsedMs
