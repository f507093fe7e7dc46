import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { freePort } from '@merchant-payments/ports'
import { onTestFinished } from 'vitest'

export interface Proxy {
  readonly url: string
  /** Existing connections stay open but carry no more data either way. New connections work. */
  silence(): void
  /** As after a power cut of the machine: no connection carries data, new ones neither. */
  vanish(): void
  /** Existing connections carry data to the server but no more answers. New connections work. */
  mute(): void
  cut(): void
  mend(): Promise<void>
  connections(): number
}

/** The same server behind a proxy for one test. */
export async function openProxy(target: string): Promise<Proxy> {
  const { port, hostname } = new URL(target)
  const pairs = new Set<readonly [Socket, Socket]>()
  let connections = 0
  let hasVanished = false
  const server = createServer((near) => {
    connections += 1
    const far = connect(Number(port || 5432), hostname)
    const pair = [near, far] as const
    pairs.add(pair)
    for (const socket of pair) {
      socket.setNoDelay()
      socket.on('error', () => undefined)
      socket.on('close', () => {
        pairs.delete(pair)
        for (const side of pair) side.destroy()
      })
    }
    if (hasVanished) return
    near.pipe(far)
    far.pipe(near)
  })
  const silence = (): void => {
    for (const [near, far] of pairs) {
      near.unpipe(far).pause()
      far.unpipe(near).pause()
    }
  }
  const listen = async (at: number): Promise<number> => {
    server.listen(at, '127.0.0.1')
    await once(server, 'listening')
    return (server.address() as AddressInfo).port
  }
  const cut = (): void => {
    server.close()
    for (const socket of [...pairs].flat()) socket.destroy()
  }
  onTestFinished(cut)
  const ownPort = await listen(await freePort())
  const url = new URL(target)
  url.host = `127.0.0.1:${ownPort}`
  return {
    url: url.href,
    silence,
    vanish: () => {
      hasVanished = true
      silence()
    },
    mute: () => {
      for (const [near, far] of pairs) far.unpipe(near).pause()
    },
    cut,
    mend: async () => {
      await listen(ownPort)
    },
    connections: () => connections,
  }
}
