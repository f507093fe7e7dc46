import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import { listen } from '@merchant-payments/testing/listen'
import type { Clock } from '../src/index.ts'
import type { Service } from './service.ts'

/** Real time, ten times as fast: a minute of the payer takes six seconds. */
const SPEED = 10

export const fastClock: Clock = {
  now: () => Date.now() * SPEED,
  setTimeout: (run, delayMs) => setTimeout(run, delayMs / SPEED),
  clearTimeout: (timer) => clearTimeout(timer as NodeJS.Timeout),
}

/** The service behind a real HTTP server, which may break a connection before or after it reads the request. */
export async function startServer(service: Service, breaks: ('before' | 'after' | null)[] = []) {
  const seen: string[] = []
  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    const { method = '', url: path = '', headers } = request
    seen.push(`${method} ${path}`)
    const fault = breaks.shift() ?? null
    // The test's clock differs from the system's, so Node must not send a Date header.
    response.sendDate = false
    let body = ''
    for await (const chunk of request) body += String(chunk)
    const hears = fault !== 'before'
    const answer = hears && (await service.handle({ method, path, headers: oneEach(headers), body }))
    if (fault !== null || answer === false) request.socket.destroy()
    else response.writeHead(answer.status, answer.headers).end(answer.body)
  }
  const server = createServer((request, response) => void serve(request, response))
  return { baseUrl: `http://127.0.0.1:${await listen(server)}`, seen }
}

const oneEach = (headers: IncomingHttpHeaders): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]))
