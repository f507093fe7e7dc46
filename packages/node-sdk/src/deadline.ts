import { AbortError, TimeoutError } from './errors.ts'
import type { PaymentsError } from './payments-error.ts'

interface Terms {
  readonly timeoutMs: number
  readonly signal?: AbortSignal | undefined
  readonly idempotencyKey?: string | undefined
}

/**
 * The end of one attempt: its time-out or the caller's abort, whichever comes first. `clear` must follow.
 *
 * It makes a signal only for a transport that reads one, because a signal takes longer than the rest of a deadline.
 */
export class Deadline {
  readonly #terms: Terms
  readonly #timer: ReturnType<typeof setTimeout>
  #error: PaymentsError | undefined
  #controller: AbortController | undefined
  #onEnd: ((error: PaymentsError) => void) | undefined
  readonly #unfollow: (() => void) | undefined

  constructor(terms: Terms) {
    this.#terms = terms
    this.#timer = setTimeout(() => this.#end(this.#timeoutError()), terms.timeoutMs)
    if (terms.signal !== undefined) this.#unfollow = this.#follow(terms.signal)
  }

  /** Aborts at the end with the error to throw. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController()
      if (this.#error !== undefined) this.#controller.abort(this.#error)
    }
    return this.#controller.signal
  }

  get isTimedOut(): boolean {
    return this.#error?.type === 'timeout_error'
  }

  /** Throws the error of a deadline that is over. */
  throwIfOver(): void {
    if (this.#error !== undefined) throw this.#error
  }

  /** Calls the listener at the end. There is one listener: it takes the place of the one before. */
  onEnd(listener: (error: PaymentsError) => void): void {
    this.#onEnd = listener
  }

  /**
   * Settles with the work, or rejects at the deadline even if the work ignores the signal. After the deadline it
   * starts nothing.
   */
  race<T>(start: () => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.throwIfOver()
      this.onEnd(reject)
      start().then(resolve, reject)
    })
  }

  clear(): void {
    clearTimeout(this.#timer)
    this.#unfollow?.()
  }

  #follow(caller: AbortSignal): () => void {
    const onAbort = () => {
      const { idempotencyKey } = this.#terms
      const details = { type: 'abort_error', cause: caller.reason, idempotencyKey } as const
      this.#end(new AbortError('The call was aborted by its signal.', details))
    }
    if (caller.aborted) onAbort()
    caller.addEventListener('abort', onAbort, { once: true })
    return () => caller.removeEventListener('abort', onAbort)
  }

  #timeoutError(): PaymentsError {
    const { timeoutMs, idempotencyKey } = this.#terms
    const details = { type: 'timeout_error', shouldRetry: true, idempotencyKey } as const
    return new TimeoutError(`No complete answer within ${timeoutMs} ms.`, details)
  }

  #end(error: PaymentsError): void {
    if (this.#error !== undefined) return
    this.#error = error
    this.#controller?.abort(error)
    this.#onEnd?.(error)
  }
}
