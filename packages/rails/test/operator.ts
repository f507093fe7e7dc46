import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import type { RailEvidence } from '@merchant-payments/core'
import { listen } from '@merchant-payments/testing/listen'

export const NOW_MS = 1_790_000_000_000

interface OperatorCall<Step> {
  readonly step: Step
  readonly path: string
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

export type Respond = (response: ServerResponse, call: OperatorCall<string>) => void

/** The operator's answers to each step, call by call. The last answer repeats. */
export type Script<Step extends string> = Partial<Record<Step, Respond | readonly Respond[]>>

interface Protocol<Step extends string> {
  readonly stepOf: (method: string, path: string) => Step
  readonly ordinary: Record<Step, Respond>
}

export const json =
  (status: number, body: unknown): Respond =>
  (response) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))

export const html =
  (status: number): Respond =>
  (response) =>
    response.writeHead(status, { 'content-type': 'text/html' }).end('<html><body>Gateway</body></html>')

export const reset: Respond = (response) => response.req.socket.resetAndDestroy()

export const hang: Respond = () => undefined

/** A scripted operator over HTTP, which records every call. */
export async function openOperator<Step extends string>(protocol: Protocol<Step>, script: Script<Step>) {
  const calls: OperatorCall<Step>[] = []
  const server = createServer((request, response) => void answer(request, response))

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = request.url ?? ''
    const step = protocol.stepOf(request.method ?? '', path)
    const call = { step, path, headers: request.headers, body: await text(request) }
    const nth = calls.filter((earlier) => earlier.step === step).length
    calls.push(call)
    const answers = [script[step] ?? protocol.ordinary[step]].flat()
    const respond = answers[Math.min(nth, answers.length - 1)]
    respond?.(response, call)
  }

  const baseUrl = `http://127.0.0.1:${await listen(server)}`
  return { baseUrl, calls, trace: () => calls.map(({ step }) => step) }
}

export const evidence = (found: Partial<RailEvidence>): RailEvidence => ({
  operation: 'submit',
  httpStatus: null,
  railCode: null,
  errno: null,
  elapsedMs: 0,
  ...found,
})
