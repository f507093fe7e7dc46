import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import { listen } from '@merchant-payments/testing/listen'

/** One POST as a merchant's server receives it. */
interface ReceivedPost {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

export interface Receiver {
  readonly port: number
  readonly url: string
  readonly posts: readonly ReceivedPost[]
  /** Connections accepted so far. */
  connections(): number
  /** Resolves when this many POSTs have arrived. */
  received(count: number): Promise<void>
}

export type Answer = (response: ServerResponse, post: ReceivedPost) => void

export const answerWith =
  (status: number, headers: Record<string, string> = {}, body = ''): Answer =>
  (response) =>
    response.writeHead(status, headers).end(body)

/** Accepts the POST and never answers. */
export const hang: Answer = () => undefined

/** Answers nothing until `release`, and 200 from then on. */
export function holdBack(): { answer: Answer; release: () => void } {
  let held: ServerResponse[] | null = []
  return {
    answer: (response) => {
      if (held === null) response.end()
      else held.push(response)
    },
    release: () => {
      for (const response of held ?? []) response.end()
      held = null
    },
  }
}

/** A merchant's server on a real socket, closed when the test ends. A test may change the answer. */
export async function startReceiver(answer: Answer): Promise<Receiver> {
  const posts: ReceivedPost[] = []
  const waiting: (() => void)[] = []
  let connections = 0
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString()
      const post = { path: request.url ?? '', headers: request.headers, body }
      posts.push(post)
      for (const look of waiting) look()
      answer(response, post)
    })
  })
  server.on('connection', () => {
    connections += 1
  })
  const port = await listen(server)
  return {
    port,
    url: `http://127.0.0.1:${port}/hook?shop=1`,
    posts,
    connections: () => connections,
    received: (count) =>
      new Promise((resolve) => {
        const look = () => posts.length >= count && resolve()
        waiting.push(look)
        look()
      }),
  }
}
