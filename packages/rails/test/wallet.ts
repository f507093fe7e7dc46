import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { listen } from './listen.ts'

export type Respond = (response: ServerResponse, call: WalletCall) => void

interface WalletCall {
  readonly step: Step
  readonly path: string
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

type Step = 'token' | 'submit' | 'query' | 'active' | 'info' | 'lost'

/** What the wallet answers to each step, call by call; the last answer repeats. */
export type Script = Partial<Record<Step, Respond | readonly Respond[]>>

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

export const token = (name: string): Respond =>
  json(200, { access_token: name, token_type: 'access_token', expires_in: 3600 })

export const accepted: Respond = (response) => response.writeHead(202).end()

const ordinary: Record<Step, Respond> = {
  token: token('token-1'),
  submit: accepted,
  query: json(200, { status: 'PENDING' }),
  active: json(200, { result: true }),
  info: json(200, { name: 'Sand Box', birthdate: '1976-08-13', gender: 'MALE' }),
  lost: html(404),
}

/** An operator's HTTP side that does as it is told, and remembers every call. */
export async function openWallet(script: Script = {}) {
  const calls: WalletCall[] = []
  const server = createServer((request, response) => void answer(request, response))

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = request.url ?? ''
    const call: WalletCall = {
      step: stepOf(request.method ?? '', path),
      path,
      headers: request.headers,
      body: await text(request),
    }
    const nth = calls.filter(({ step }) => step === call.step).length
    calls.push(call)
    const answers = [script[call.step] ?? ordinary[call.step]].flat()
    const respond = answers[Math.min(nth, answers.length - 1)]
    respond?.(response, call)
  }

  const baseUrl = `http://127.0.0.1:${await listen(server)}`
  return { baseUrl, calls, trace: () => calls.map(({ step }) => step) }
}

function stepOf(method: string, path: string): Step {
  if (/^\/(collection|disbursement)\/token\/$/.test(path)) return 'token'
  if (/^\/(collection\/v1_0\/requesttopay|disbursement\/v1_0\/transfer)/.test(path))
    return method === 'POST' ? 'submit' : 'query'
  if (path.endsWith('/active')) return 'active'
  return path.endsWith('/basicuserinfo') ? 'info' : 'lost'
}
