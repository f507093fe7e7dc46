import { AbortError, TimeoutError } from './errors.ts'
import type { PaymentsError } from './payments-error.ts'

/** Combines an attempt's time-out and the caller's signal in one signal, which aborts with the error to throw. */
export interface Deadline {
  readonly signal: AbortSignal
  /**
   * Settles with the work, or rejects at the deadline even if the work ignores the signal. After the deadline it
   * starts nothing.
   */
  race<T>(start: () => Promise<T>): Promise<T>
  clear(): void
}

interface Terms {
  readonly timeoutMs: number
  readonly signal?: AbortSignal | undefined
  readonly idempotencyKey?: string | undefined
}

export function startDeadline({ timeoutMs, signal: caller, idempotencyKey }: Terms): Deadline {
  const controller = new AbortController()
  let fail: (error: PaymentsError) => void = () => {}
  const end = (error: PaymentsError) => {
    controller.abort(error)
    fail(error)
  }
  const onTime = () => {
    const details = { type: 'timeout_error', shouldRetry: true, idempotencyKey } as const
    end(new TimeoutError(`No complete answer within ${timeoutMs} ms.`, details))
  }
  const onAbort = () => {
    const details = { type: 'abort_error', cause: caller?.reason, idempotencyKey } as const
    end(new AbortError('The call was aborted by its signal.', details))
  }

  const timer = setTimeout(onTime, timeoutMs)
  if (caller?.aborted === true) onAbort()
  caller?.addEventListener('abort', onAbort, { once: true })

  return {
    signal: controller.signal,
    race: (start) =>
      new Promise((resolve, reject) => {
        controller.signal.throwIfAborted()
        fail = reject
        start().then(resolve, reject)
      }),
    clear: () => {
      clearTimeout(timer)
      caller?.removeEventListener('abort', onAbort)
    },
  }
}
