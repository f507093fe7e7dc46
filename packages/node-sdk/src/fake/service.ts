import type { TransportRequest, TransportResponse } from '../transport.ts'
import type { Failure, FakeRequest } from '../testing.ts'
import type { ErrorCode } from '../wire.ts'
import { type Form, parseForm } from './parse-form.ts'
import { answerCall } from './routes.ts'
import { Refusal, type Store } from './store.ts'

const TOKEN_LIFETIME_SEC = 900

/** Spec 8. */
const KEY_LIFETIME_SEC = 86_400

/** A test that sends more has a loop. */
const REQUESTS_MAX = 100_000

type Response = TransportResponse & { readonly body: string }

/** The service as a transport: tokens, idempotency keys, errors and failures around the routes. */
export class FakeWire {
  readonly requests: FakeRequest[] = []
  /** Failures of the next calls, in their order. */
  readonly failures: Failure[] = []
  readonly #store: Store
  readonly #tokens = new Set<string>()
  #answers = 0

  constructor(store: Store) {
    this.#store = store
  }

  async send(request: TransportRequest): Promise<TransportResponse> {
    const { pathname, search } = new URL(request.url)
    if (pathname === '/v1/oauth/token') return this.#mint()
    if (this.requests.length === REQUESTS_MAX) {
      throw new RangeError(`the fake takes at most ${REQUESTS_MAX} requests`)
    }
    const form = parseForm(request.body ?? search.slice(1))
    this.requests.push(requestOf(request, pathname, form))
    const token = (request.headers['authorization'] ?? '').replace('Bearer ', '')
    const isKnown = this.#tokens.has(token)
    // A call that meets a 401 executes nothing, so its repetition is the one whose answer is lost.
    const failure = this.failures[0] === 'answer' && !isKnown ? undefined : this.failures.shift()
    if (failure === 'connection') throw lost()
    if (typeof failure === 'object') {
      return this.#refuse(
        new Refusal(failure.status, failure.code, `The test asked for a ${failure.status}.`),
      )
    }
    if (!isKnown) {
      return this.#refuse(new Refusal(401, 'authentication_error', 'The token is not valid.'))
    }
    const response = this.#executeOnce(request, pathname, form)
    if (failure === 'answer') throw lost()
    return response
  }

  revokeTokens(): void {
    this.#tokens.clear()
  }

  #mint(): TransportResponse {
    const token = `fake-token-${this.#answers + 1}`
    this.#tokens.add(token)
    return this.#respond(200, { access_token: token, token_type: 'Bearer', expires_in: TOKEN_LIFETIME_SEC })
  }

  /** Replays the answer of a key, for 24 hours (spec 8). */
  #executeOnce({ method, headers, body }: TransportRequest, path: string, form: Form): TransportResponse {
    const key = headers['idempotency-key']
    if (key === undefined) return this.#execute(method, path, form)
    const fingerprint = `${method} ${path} ${body ?? ''}`
    const before = this.#store.answers.get(key)
    const nowSec = this.#store.nowSec()
    if (before === undefined || before.expiresAtSec <= nowSec) {
      const response = this.#execute(method, path, form)
      const answer = { ...response, body: JSON.parse(response.body) as object }
      this.#store.answers.set(key, { fingerprint, expiresAtSec: nowSec + KEY_LIFETIME_SEC, ...answer })
      return response
    }
    if (before.fingerprint !== fingerprint) {
      const message = 'The key belongs to another request.'
      return this.#refuse(new Refusal(400, 'idempotency_key_in_use', message, 'idempotency_key'))
    }
    const { status, headers: kept } = before
    return { status, headers: { ...kept, 'idempotent-replayed': 'true' }, body: JSON.stringify(before.body) }
  }

  #execute(method: string, path: string, form: Form): Response {
    try {
      const { status, body } = answerCall(this.#store, method, path, form)
      return this.#respond(status, body)
    } catch (error) {
      if (error instanceof Refusal) return this.#refuse(error)
      throw error
    }
  }

  #refuse({ status, code, message, param }: Refusal): Response {
    const error = { type: typeOf(status, code), code, message, ...(param === undefined ? {} : { param }) }
    // Spec 7.2.
    const shouldRetry = (status >= 500 && status !== 501) || code === 'idempotency_key_in_flight'
    return this.#respond(status, { error }, { 'compat-should-retry': String(shouldRetry) })
  }

  #respond(status: number, body: object, more: Record<string, string> = {}): Response {
    this.#answers += 1
    const headers = { 'content-type': 'application/json', 'request-id': `req_${this.#answers}`, ...more }
    return { status, headers, body: JSON.stringify(body) }
  }
}

const requestOf = ({ method, headers }: TransportRequest, path: string, form: Form): FakeRequest => ({
  method,
  path,
  // A copy with ordinary prototypes, which compares as a test writes it.
  params: JSON.parse(JSON.stringify(form)) as FakeRequest['params'],
  idempotencyKey: headers['idempotency-key'],
})

const lost = (): Error => Object.assign(new Error('the connection was reset'), { code: 'ECONNRESET' })

function typeOf(status: number, code: ErrorCode): string {
  if (status === 401) return 'authentication_error'
  if (code.startsWith('idempotency_')) return 'idempotency_error'
  return status >= 500 ? 'api_error' : 'invalid_request_error'
}
