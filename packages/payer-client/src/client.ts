import { PayerClientError } from './error.ts'
import type { PaymentOrder } from './order.ts'
import { backoffMs } from './pace.ts'
import { openPayment } from './open-payment.ts'
import type { Read } from './reads.ts'
import type { PaymentResult } from './result.ts'
import type { FollowOptions, PaymentDeps } from './run.ts'
import type { PayerClientOptions } from './settings.ts'
import { wait } from './wait.ts'
import { watchIntent, type WatchOptions } from './watch.ts'
import type { BrowserIntent, BrowserSession } from './wire.ts'
import { isAborted, type Signal } from './world.ts'

/**
 * How to read.
 *
 * @example
 * ```ts
 * const options: ReadOptions = { signal: controller.signal }
 * ```
 */
export interface ReadOptions {
  /** Stops the read, which then fails with the reason `aborted`. */
  readonly signal?: Signal | undefined
}

/**
 * One payment, on its payer's device.
 *
 * @example
 * ```ts
 * const result = (await client.resume()) ?? (await client.pay({ rail: 'mtn_momo_cm', msisdn }))
 * ```
 */
export interface PayerClient {
  /**
   * Pays, and follows the payment to its outcome. The payer is charged at most once, even if the connection
   * fails or the page is reloaded. If a charge is already under way, it is followed instead. A second call
   * during a payment follows the same payment for the first call's time, and has the same result. Its own
   * signal ends only this second call.
   *
   * @param order the rail with the payer's number, or the rail with the way to its page
   * @param options a signal that stops following (the payment itself continues), an observer, and the time to
   * follow in milliseconds. Default: the time that the rail gives the payer, or 6 minutes if that is unknown
   * @returns the outcome, which is never an error; spec 4.6
   * @throws PayerClientError with reason `refused` if the order itself is wrong, such as an invalid number
   * @throws TypeError for an order that cannot be sent
   * @example
   * ```ts
   * const result = await client.pay(
   *   { rail: 'mtn_momo_cm', msisdn: '6 70 00 00 01' },
   *   { onProgress: ({ phase }) => console.log(phase) },
   * )
   * console.log(result.outcome)
   * ```
   */
  pay(order: PaymentOrder, options?: FollowOptions): Promise<PaymentResult>

  /**
   * Follows a payment that is under way: after a reload, on return from a rail's page, or after `pending`. It
   * never charges.
   *
   * @returns the outcome, or null if nothing is under way, so that the payer may pay
   * @example
   * ```ts
   * const result = await client.resume()
   * if (result === null) showForm()
   * ```
   */
  resume(options?: FollowOptions): Promise<PaymentResult | null>

  /**
   * Polls slowly after a decline, because an operator that declined may still take the money (spec 1.5).
   *
   * @param options a signal, the interval in milliseconds (default 30 000) and the duration in milliseconds
   * (default 20 minutes)
   * @example
   * ```ts
   * for await (const intent of client.watch({ signal })) if (intent.status === 'succeeded') showPaid(intent)
   * ```
   */
  watch(options?: WatchOptions): AsyncIterable<BrowserIntent>

  /**
   * Makes the call under way read at once, for a button "check now".
   *
   * @example
   * ```ts
   * button.addEventListener('click', () => client.checkNow())
   * ```
   */
  checkNow(): void

  /**
   * Reads the payment intent.
   *
   * @throws PayerClientError `not_found` for a wrong secret or key; `network`, `server` or `protocol` after
   * three attempts
   * @example
   * ```ts
   * const { amount, currency } = await client.retrieve()
   * ```
   */
  retrieve(options?: ReadOptions): Promise<BrowserIntent>

  /**
   * Reads the checkout session, for a client made from a session's secret.
   *
   * @throws PayerClientError as `retrieve` does
   * @throws TypeError for a client made from an intent's secret
   * @example
   * ```ts
   * const { merchant, rails } = await client.retrieveSession()
   * ```
   */
  retrieveSession(options?: ReadOptions): Promise<BrowserSession>
}

/**
 * Makes a client for one payment. Throws a TypeError at once for invalid options, including a merchant's
 * token. Sends nothing until the first call.
 *
 * @example
 * ```ts
 * import { createPayerClient } from '@merchant-payments/payer-client'
 *
 * const client = createPayerClient({
 *   baseUrl: 'https://payments.example.com',
 *   publishableKey: 'pk_live_shop',
 *   clientSecret: 'pi_…_secret_…',
 * })
 * ```
 */
export function createPayerClient(options: PayerClientOptions): PayerClient {
  const { deps, pay, resume, checkNow } = openPayment(options)
  const { reads, secret } = deps
  return {
    pay,
    resume,
    watch: (options = {}) => watchIntent(deps, options),
    checkNow,
    retrieve: ({ signal } = {}) => insist(deps, reads.intent, signal),
    async retrieveSession({ signal } = {}) {
      if (secret.kind !== 'cs') throw new TypeError('retrieveSession needs a session’s secret')
      return insist(deps, reads.session, signal)
    },
  }
}

const READ_TRIES_MAX = 3

async function insist<T>(deps: PaymentDeps, read: Read<T>, signal: Signal | undefined): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    const look = await read({ signal })
    const seen = isAborted(signal) ? ({ trouble: 'aborted' } as const) : look
    if ('found' in seen) return seen.found
    const { trouble: reason } = seen
    if (reason === 'aborted' || reason === 'not_found' || tries === READ_TRIES_MAX) {
      throw new PayerClientError(`The payment could not be read: ${reason}`, { reason })
    }
    const delayMs = backoffMs(tries, deps.random)
    await wait({ ...deps, signal }, delayMs, delayMs)
  }
}
