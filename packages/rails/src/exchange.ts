import { getDefaultAutoSelectFamilyAttemptTimeout } from 'node:net'
import { createGate } from '@merchant-payments/core'
import { askSystem, createResolve, type Resolve } from '@merchant-payments/names'
import { type Dispatcher, Pool } from 'undici'
import { keepLastAddresses } from './last-addresses.ts'

/** Answers are at most a status report. A larger one is an error page or an attack. */
const MAX_BODY_BYTES = 64 * 1024

/** Without this limit, a gateway that sends 1xx answers without end takes the event loop until the deadline. */
const INTERIM_ANSWERS_MAX = 8

/**
 * Share of the connect limit that each address of a rail but the last has. It is 1.7 s by default, and a lost packet is
 * repeated after one second. Node's default is 250 ms.
 */
const CONNECT_SHARE_OF_ADDRESS = 1 / 3

/** Shorter than a gateway's idle limit, so a request seldom meets a socket that the gateway is closing. */
const KEEP_ALIVE_MS = 4_000

/** With more requests per connection, a new one would only wait past its deadline. */
const MAX_IN_FLIGHT_PER_CONNECTION = 8

/** Share of all waiting requests that one merchant may have, unless a kind of call has its own. */
const WAITING_SHARE_OF_OWNER = 1 / 4

export interface RailRequest {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
  /** The merchant. Merchants take turns for free connections. Absent for a call of the worker's own. */
  readonly owner?: string
  /** After this instant, no byte of the request may be written. */
  readonly notAfterMs?: number
  readonly signal: AbortSignal
}

/** The body is null if it was cut short or too large; the status line remains valid. */
export interface Answer {
  readonly kind: 'answer'
  readonly status: number
  readonly body: Uint8Array | null
}

/** No status line arrived. `sent` is false only if no byte of the request can have reached the rail. */
export interface ExchangeFailure {
  readonly kind: 'fault'
  readonly sent: boolean
  /** The time was over, or the queue full, while the request waited in this process. Nothing is known of the rail. */
  readonly heldBack?: true
  readonly errno: string
}

/**
 * Connections for one kind of call to a rail. Each kind has its own, so that calls that hang keep no call of another kind
 * waiting: a payment does not wait for refunds, nor for status queries.
 */
export interface RailHttp {
  /** Sends once: no retry, no redirect. Never rejects. */
  exchange(request: RailRequest): Promise<Answer | ExchangeFailure>
  close(): Promise<void>
}

const PAST_DEADLINE = 'PAST_DEADLINE'
/** Why a request got no connection. */
const errnos = { full: 'QUEUE_FULL', aborted: 'TIMEOUT' } as const
/** Reasons of our own for which a request was not sent. */
const ownErrnos = new Set<string>([...Object.values(errnos), PAST_DEADLINE])

/** A connection may have become free only as the time ended. */
const isOurOwn = (end: Answer | ExchangeFailure): end is ExchangeFailure =>
  end.kind === 'fault' && !end.sent && ownErrnos.has(end.errno)

/** Requests of one kind that a rail takes at once: under way, or waiting for a connection. */
export const callsMaxOf = (connections: number): number => connections * MAX_IN_FLIGHT_PER_CONNECTION

interface RailHttpOptions {
  readonly baseUrl: string
  /** Bounded by totalTimeoutMs: a request whose time is over leaves its queue only when the attempt ends. */
  readonly connectTimeoutMs: number
  /** The longest time of a request, which its signal ends. */
  readonly totalTimeoutMs: number
  readonly maxConnections: number
  readonly clock: () => number
  readonly waitingShareOfOwner?: number
  readonly resolve?: Resolve
}

export function openRailHttp(options: RailHttpOptions): RailHttp {
  const { maxConnections, clock, waitingShareOfOwner = WAITING_SHARE_OF_OWNER } = options
  const connectTimeoutMs = Math.min(options.connectTimeoutMs, options.totalTimeoutMs)
  const { resolve = createResolve({ system: askSystem }) } = options
  const base = new URL(options.baseUrl)
  const prefix = base.pathname.replace(/\/+$/, '')
  const pool = new Pool(base.origin, {
    connections: maxConnections,
    connect: {
      lookup: keepLastAddresses(resolve, clock),
      timeout: connectTimeoutMs,
      autoSelectFamilyAttemptTimeout: Math.max(
        getDefaultAutoSelectFamilyAttemptTimeout(),
        Math.floor(connectTimeoutMs * CONNECT_SHARE_OF_ADDRESS),
      ),
    },
    // The reasoning in `exchangeOn` holds only for HTTP/1.1 without pipelining.
    allowH2: false,
    pipelining: 1,
    keepAliveTimeout: KEEP_ALIVE_MS,
    keepAliveMaxTimeout: KEEP_ALIVE_MS,
    // Each request's abort signal bounds the whole request.
    headersTimeout: 0,
    bodyTimeout: 0,
  })
  const waiting = callsMaxOf(maxConnections) - maxConnections
  const gate = createGate({
    running: maxConnections,
    waiting,
    waitingOfOwner: Math.ceil(waiting * waitingShareOfOwner),
  })
  /** Requests under way or waiting. */
  let entered = 0

  async function pass(request: RailRequest): Promise<Answer | ExchangeFailure> {
    const { owner = null, signal } = request
    const refused = await gate.enter(owner, signal)
    if (refused !== null) return { kind: 'fault', sent: false, errno: errnos[refused] }
    try {
      return await exchangeOn(pool, { ...request, path: prefix + request.path }, clock)
    } finally {
      gate.leave(owner)
    }
  }

  async function exchange(request: RailRequest): Promise<Answer | ExchangeFailure> {
    const hasToWait = entered >= maxConnections
    entered += 1
    const end = await pass(request)
    entered -= 1
    return hasToWait && isOurOwn(end) ? { ...end, heldBack: true } : end
  }

  return { exchange, close: () => pool.close() }
}

/**
 * An error's code cannot tell whether the rail has the request: ECONNRESET is both a failed handshake and a
 * lost answer. undici's order of events can. It calls onRequestStart synchronously before it writes the first
 * byte, on a socket that is connected and, for https, secured. An error thrown there prevents the write. So a
 * request that never started was never sent, and one that started may have been.
 */
function exchangeOn(
  pool: Pool,
  request: RailRequest,
  clock: () => number,
): Promise<Answer | ExchangeFailure> {
  const { method, path, headers, body, signal, notAfterMs = Number.POSITIVE_INFINITY } = request
  const { promise, resolve } = Promise.withResolvers<Answer | ExchangeFailure>()
  const chunks: Uint8Array[] = []
  let size = 0
  let interim = 0
  let status: number | null = null
  let started: Dispatcher.DispatchController | null = null

  function settle(end: Answer | ExchangeFailure): void {
    signal.removeEventListener('abort', expire)
    resolve(end)
  }
  function stop(errno: string): void {
    if (status === null) settle({ kind: 'fault', sent: started !== null, errno })
    else settle({ kind: 'answer', status, body: null })
    started?.abort(failure(errno))
  }
  function expire(): void {
    stop('TIMEOUT')
  }

  if (signal.aborted) return Promise.resolve({ kind: 'fault', sent: false, errno: 'TIMEOUT' })
  signal.addEventListener('abort', expire)
  pool.dispatch(
    { method, path, headers, body: body ?? null },
    {
      onRequestStart(controller) {
        if (signal.aborted) throw failure('TIMEOUT')
        // docs/spec-gaps.md: a process never sends after its deadline, even if it waited for a socket until
        // then.
        if (clock() > notAfterMs) throw failure(PAST_DEADLINE)
        started = controller
      },
      onResponseStart(_controller, statusCode) {
        if (statusCode >= 200) status = statusCode
        else interim += 1
        if (interim > INTERIM_ANSWERS_MAX) stop('INTERIM_ANSWERS')
      },
      onResponseData(_controller, chunk) {
        size += chunk.length
        if (size > MAX_BODY_BYTES) stop('BODY_TOO_LARGE')
        else chunks.push(chunk)
      },
      onResponseEnd() {
        if (status !== null) settle({ kind: 'answer', status, body: Buffer.concat(chunks) })
      },
      onResponseError(_controller, error) {
        stop(errnoOf(error))
      },
    },
  )
  return promise
}

const failure = (code: string) => Object.assign(new Error(code), { code })

function errnoOf(error: Error & { code?: unknown }): string {
  return typeof error.code === 'string' ? error.code : error.name
}
