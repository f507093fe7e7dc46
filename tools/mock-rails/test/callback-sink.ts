import { once } from 'node:events'
import { createServer } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect } from 'vitest'
import type { MockRails } from '../src/index.ts'

type Received = { method: string; url: string; body: unknown }

export type CallbackSink = {
  readonly url: string
  readonly received: Received[]
  /** Resolves once `count` callbacks have arrived in total. */
  readonly wait: (count: number) => Promise<Received[]>
  readonly stop: () => Promise<void>
}

/** A real HTTP server as the merchant's callback endpoint. */
export async function startCallbackSink(onReceived: () => void = () => {}): Promise<CallbackSink> {
  const received: Received[] = []
  const waiting: { count: number; resolve: (received: Received[]) => void }[] = []
  const receive = async (request: IncomingMessage, response: ServerResponse) => {
    const raw = await text(request)
    received.push({ method: request.method ?? '', url: request.url ?? '', body: parse(raw) })
    onReceived()
    response.end()
    for (const wait of waiting) if (received.length >= wait.count) wait.resolve([...received])
  }
  const server = createServer((request, response) => void receive(request, response))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/provider/mtn/callback`,
    received,
    wait: (count) => {
      const { promise, resolve } = Promise.withResolvers<Received[]>()
      if (received.length >= count) resolve([...received])
      else waiting.push({ count, resolve })
      return promise
    },
    stop: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

function parse(raw: string): unknown {
  try {
    return JSON.parse(raw)
  } catch {
    return raw
  }
}

/** Waits for the expected number of records of a charge's callbacks. */
export async function recordsOf({ control }: MockRails, reference: string, count: number) {
  await expect.poll(() => control.listCallbacks({ reference })).toHaveLength(count)
  return control.listCallbacks({ reference })
}
