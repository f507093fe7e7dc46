import { systemClock } from './clock.ts'
import { FakeWire } from './fake/service.ts'
import { settleIntent } from './fake/settle.ts'
import { copyOf, createStore } from './fake/store.ts'
import type { Sign } from './private-key.ts'
import type { Transport } from './transport.ts'
import type { DeclineCode, ErrorCode, Event } from './wire.ts'

/**
 * How one call fails. `connection`: it never reaches the service. `answer`: the service executes it, and its answer is
 * lost. An object: the service answers with this error, and does nothing.
 *
 * @example
 * ```ts
 * const failures: Failure[] = ['answer', { status: 502, code: 'provider_unavailable' }]
 * ```
 */
export type Failure =
  | 'connection'
  | 'answer'
  | {
      /** The HTTP status. */
      readonly status: number
      /** The code of the error. */
      readonly code: ErrorCode
    }

/** A call that the fake received. */
export interface FakeRequest {
  /** The HTTP method. */
  readonly method: string
  /** The path without its query. */
  readonly path: string
  /** The parameters of the body or the query. Numbers are texts, and lists have their indexes as keys. */
  readonly params: Readonly<Record<string, unknown>>
  /** The idempotency key; undefined for reads. */
  readonly idempotencyKey: string | undefined
}

/** A service in memory. */
export interface FakeService {
  /** Options of a client that talks to this service. Its back-offs take no time. */
  readonly options: {
    /** An address that no request reaches. */
    readonly baseUrl: string
    /** The only client of the service. */
    readonly clientId: string
    /** Signs nothing, because the service accepts every assertion. */
    readonly privateKey: Sign
    /** The service itself. */
    readonly transport: Transport
    /** Waits for no time. */
    readonly sleep: () => Promise<void>
  }
  /** The calls that arrived, in their order, without token requests. */
  readonly requests: readonly FakeRequest[]
  /** Answers an open charge as its rail: it succeeds, or is refused with this code. Writes the events. */
  settle(paymentIntentId: string, outcome: 'succeeded' | DeclineCode): void
  /** Lets the next calls fail, one failure each. The retries of a call count too. */
  failNext(...failures: readonly Failure[]): void
  /** Makes every token invalid, so that the next call meets a 401. */
  revokeTokens(): void
  /** The events that the service wrote, oldest first. Sign them with `@merchant-payments/webhook-verifier/testing`. */
  events(): Event[]
}

/** The options of {@link createFakeService}. */
export interface FakeServiceOptions {
  /** Returns the time in ms since the epoch. An idempotency key is forgotten 24 hours later. Default: the system's. */
  readonly clock?: (() => number) | undefined
}

/**
 * Creates a service in memory for a merchant's own tests: all resources of the API, with tokens, idempotency keys and
 * events. It checks fewer parameters than the service does.
 *
 * @example
 * ```ts
 * const service = createFakeService()
 * const payments = createMerchantPayments(service.options)
 * const { id } = await payments.paymentIntents.create({
 *   amount: 5000,
 *   currency: 'XAF',
 *   payment_method_types: ['mtn_momo_cm'],
 * })
 * await payments.paymentIntents.confirm(id, { payment_method_data: { mtn_momo_cm: { msisdn: '237670000001' } } })
 * service.settle(id, 'succeeded')
 * ```
 */
export function createFakeService({ clock = systemClock }: FakeServiceOptions = {}): FakeService {
  const store = createStore(clock)
  const wire = new FakeWire(store)
  return {
    options: {
      baseUrl: 'https://payments.test',
      clientId: 'fake',
      privateKey: () => Promise.resolve(new Uint8Array(1)),
      transport: (request) => wire.send(request),
      sleep: () => Promise.resolve(),
    },
    requests: wire.requests,
    settle: (id, outcome) => settleIntent(store, id, outcome),
    failNext: (...failures) => void wire.failures.push(...failures),
    revokeTokens: () => wire.revokeTokens(),
    events: () => copyOf([...store.events.values()]) as Event[],
  }
}
