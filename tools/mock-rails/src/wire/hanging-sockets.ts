import type { Socket } from 'node:net'

const MAX_HANGING_SOCKETS = 1_000

export type HangingSockets = {
  readonly hold: (socket: Socket) => void
  readonly release: () => void
}

/** Holds connections without an answer until their client gives up. Above the limit, the oldest is reset. */
export function createHangingSockets(): HangingSockets {
  const held = new Set<Socket>()
  return {
    hold: (socket) => {
      held.add(socket)
      socket.once('close', () => held.delete(socket))
      if (held.size <= MAX_HANGING_SOCKETS) return
      const [oldest] = held
      if (oldest === undefined) return
      held.delete(oldest)
      oldest.resetAndDestroy()
    },
    release: () => {
      for (const socket of held) socket.destroy()
    },
  }
}
