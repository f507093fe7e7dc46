import type { Clock, Fetch } from '../src/index.ts'
import { type Answer, type Request, refuse, type Service } from './service.ts'

/** The fault of one request. Default: the request and its answer arrive at once. */
export interface Fault {
  readonly kind?: 'offline' | 'hang' | 'reply_lost' | 'error_before' | 'error_after' | 'foreign_page'
  readonly outMs?: number
  readonly backMs?: number
}

/** A request that the client sent. */
export interface Sent extends Request {
  readonly url: string
  readonly atMs: number
  readonly init: Parameters<Fetch>[1]
  /** Whether it may still arrive. */
  isUnderWay: boolean
}

const foreignPage: Answer = { status: 200, headers: {}, body: '<html>Buy a voucher' }

/** A network between a client and a service, with planned or random faults. */
export function createNetwork(clock: Clock, service: Service, nextFault: (sent: Sent) => Fault = () => ({})) {
  const sent: Sent[] = []
  const sleep = (ms: number) => new Promise<void>((resolve) => void clock.setTimeout(resolve, ms))

  async function carry(request: Sent): Promise<Answer> {
    const { kind, outMs = 0, backMs = 0 } = nextFault(request)
    try {
      if (outMs > 0) await sleep(outMs)
      if (kind === 'hang') return await new Promise<never>(() => {})
      if (kind === 'offline') throw new TypeError('fetch failed')
      if (kind === 'foreign_page') return foreignPage
      if (kind === 'error_before') return refuse(500, 'internal_error', true)
    } finally {
      request.isUnderWay = false
    }
    const answer = await service.handle(request)
    if (backMs > 0) await sleep(backMs)
    if (kind === 'reply_lost') throw new TypeError('fetch failed')
    return kind === 'error_after' ? { status: 503, headers: {}, body: 'upstream' } : answer
  }

  const fetch: Fetch = (url, init) => {
    const headers = Object.fromEntries(
      Object.entries(init.headers).map(([name, value]) => [name.toLowerCase(), value]),
    )
    const { pathname } = new URL(url)
    const { method, body = '' } = init
    const request = { url, method, path: pathname, headers, body, atMs: clock.now(), init, isUnderWay: true }
    sent.push(request)
    return new Promise((resolve, reject) => {
      // A request that was sent still arrives.
      init.signal.addEventListener('abort', () => reject(new DOMException('aborted', 'AbortError')))
      carry(request).then(
        ({ status, headers, body }) =>
          resolve({ status, headers: { get: (name) => headers[name] ?? null }, text: async () => body }),
        reject,
      )
    })
  }

  return { fetch, sent, confirms: () => sent.filter(({ method }) => method === 'POST') }
}
