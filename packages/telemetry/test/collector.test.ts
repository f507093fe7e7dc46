import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { expect, onTestFinished, test } from 'vitest'
import { openTracing } from '../src/tracing/open.ts'

interface Otlp {
  readonly resourceSpans: readonly { readonly scopeSpans: readonly { readonly spans: readonly object[] }[] }[]
}

interface Collector {
  /** Answers the batch of this number, counted from 1. */
  readonly answer: (response: ServerResponse, batch: number) => void
  readonly onLost?: () => void
}

/** Tracing to a real collector. */
async function traceTo({ answer, onLost }: Collector) {
  const received: number[] = []
  const unanswered = new Set<ServerResponse>()
  const server = createServer((request, response) => {
    if (request.method === 'GET') {
      response.end()
      return
    }
    unanswered.add(response)
    response.once('close', () => unanswered.delete(response))
    void json(request).then((body) => {
      const scopes = (body as Otlp).resourceSpans.flatMap(({ scopeSpans }) => scopeSpans)
      received.push(scopes.flatMap(({ spans }) => spans).length)
      answer(response, received.length)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const lost: number[] = []
  const tracing = await openTracing({
    config: { endpoint, sampleRatio: 1 },
    service: 'test',
    clock: Date.now,
    onLost: (spans) => {
      lost.push(spans)
      onLost?.()
    },
  })
  return {
    end: (spans: number) => {
      for (let n = 0; n < spans; n += 1) tracing.tracer.start('request', 'server').end({}, false)
    },
    close: () => tracing.close(),
    /** The number of batches whose sender waits for an answer, counted after all earlier requests have arrived. */
    waiting: async () => {
      await fetch(endpoint)
      return unanswered.size
    },
    received,
    lost,
  }
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0)

test('a full queue drops spans and reports them', async () => {
  const { end, close, received, lost } = await traceTo({ answer: (response) => response.end('{}') })
  // One batch is sent at once, eight wait.
  end(512 + 4_096 + 400)
  await expect.poll(() => sum(received)).toBe(512 + 4_096)
  await close()
  expect([sum(received), sum(lost)]).toEqual([512 + 4_096, 400])
})

test('a batch that the collector refuses is reported', async () => {
  const { end, close, received, lost } = await traceTo({
    answer: (response) => response.writeHead(400).end(),
  })
  end(3)
  await close()
  expect([received, lost]).toEqual([[3], [3]])
})

test('a batch that the collector cannot take yet is sent again', async () => {
  const { end, close, received, lost } = await traceTo({
    answer: (response, batch) => {
      if (batch === 1) response.writeHead(503, { 'retry-after': '1' })
      response.end('{}')
    },
  })
  end(512)
  await expect.poll(() => received).toEqual([512, 512])
  await close()
  expect([received, lost]).toEqual([[512, 512], []])
})

test('close: waits for all batches after one has failed', async () => {
  const held: ServerResponse[] = []
  let failed = false
  const { end, close, received, lost } = await traceTo({
    // The first batch is sent before the close.
    answer: (response, batch) => {
      if (batch === 2) response.writeHead(400).end()
      else if (failed) response.end('{}')
      else held.push(response)
    },
    onLost: () => {
      failed = true
      setImmediate(() => {
        for (const response of held.splice(0)) response.end('{}')
      })
    },
  })
  end(3 * 512)
  await close()
  expect([sum(received), lost]).toEqual([3 * 512, [512]])
})

test('close: does not wait for a collector that never answers, and reports its spans', async () => {
  const { end, close, waiting, lost } = await traceTo({ answer: () => undefined })
  end(3)
  await close()
  // The exporter hangs up at its own time-out, which a close must not wait for.
  expect([lost, await waiting()]).toEqual([[3], 1])
})
