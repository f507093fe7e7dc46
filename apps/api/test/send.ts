import { once } from 'node:events'
import { Agent, type IncomingHttpHeaders, type IncomingMessage, request as httpRequest } from 'node:http'

export interface Exchange {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string | string[]>>
  readonly body?: string | Uint8Array | undefined
}

export interface TestAnswer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
  // oxlint-disable-next-line typescript/no-explicit-any -- a wire body, asserted by each test
  readonly body: any
}

/** The server keeps or closes connections; the agent only bounds how many a test opens. */
const agent = new Agent({ keepAlive: true, maxSockets: 200 })

/** One exchange over a real socket, without the restrictions of a client library. */
export async function send(origin: string, { method, path, headers, body }: Exchange): Promise<TestAnswer> {
  // Node sends the body of a GET only with a content-length.
  const isChunked = 'transfer-encoding' in headers
  const length = body === undefined || isChunked ? {} : { 'content-length': `${Buffer.byteLength(body)}` }
  const request = httpRequest(origin, { method, path, headers: { ...length, ...headers }, agent })
  request.end(body)
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  const chunks: Buffer[] = []
  for await (const chunk of response) chunks.push(chunk as Buffer)
  const text = Buffer.concat(chunks).toString()
  const isJson = response.headers['content-type']?.includes('json') === true && text !== ''
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    text,
    body: isJson ? JSON.parse(text) : null,
  }
}
