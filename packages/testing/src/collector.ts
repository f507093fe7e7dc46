import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

interface OtlpSpan {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  readonly kind: number
  readonly startTimeUnixNano: string
  readonly endTimeUnixNano: string
  readonly attributes: readonly { readonly key: string; readonly value: object }[]
  readonly links: readonly { readonly traceId: string; readonly spanId: string }[]
  readonly flags: number
}

/** With the name of the service that sent it. */
export interface CollectedSpan extends OtlpSpan {
  readonly service: string | undefined
}

interface Otlp {
  readonly resourceSpans: readonly {
    readonly resource: {
      readonly attributes: readonly { readonly value: { readonly stringValue: string } }[]
    }
    readonly scopeSpans: readonly { readonly spans: readonly OtlpSpan[] }[]
  }[]
}

interface Collector {
  readonly endpoint: string
  /** The parsed exports, in the order in which they came. */
  readonly bodies: readonly Otlp[]
  spans(): CollectedSpan[]
  stop(): void
}

/** A collector of OTLP over HTTP. */
export async function startCollector(): Promise<Collector> {
  const bodies: Otlp[] = []
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      if (request.url === '/v1/traces') bodies.push(JSON.parse(body) as Otlp)
      response.end('{}')
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    endpoint: `http://127.0.0.1:${port}`,
    bodies,
    spans: () =>
      bodies
        .flatMap(({ resourceSpans }) => resourceSpans)
        .flatMap(({ resource, scopeSpans }) => {
          const service = resource.attributes[0]?.value.stringValue
          return scopeSpans.flatMap(({ spans }) => spans.map((span) => ({ ...span, service })))
        }),
    stop: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}
