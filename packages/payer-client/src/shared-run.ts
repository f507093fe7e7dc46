import type { PayerClient } from './client.ts'
import type { PaymentOrder } from './order.ts'
import { followPayment } from './payment.ts'
import type { PaymentProgress, PaymentResult } from './result.ts'
import { type FollowOptions, notify, type PaymentDeps } from './run.ts'
import { isAborted, world } from './world.ts'
import type { BrowserIntent } from './wire.ts'

/** A payment under way, and the calls of `pay` that follow it. */
interface SharedRun {
  readonly calls: Set<FollowOptions>
  readonly result: Promise<PaymentResult>
  readonly stop: () => void
  /** As last reported. */
  readonly intent: () => BrowserIntent | null
}

/** A `pay` whose calls share the payment under way. An aborted call leaves it, and the last one to leave stops it. */
export function sharePayments(deps: PaymentDeps): PayerClient['pay'] {
  let shared: SharedRun | undefined

  function start(order: PaymentOrder, first: FollowOptions): SharedRun {
    const controller = new world.AbortController()
    const calls = new Set([first])
    let intent: BrowserIntent | null = null
    const onProgress = (progress: PaymentProgress) => {
      intent = progress.intent
      for (const call of calls) notify(call.onProgress, progress)
    }
    const result = followPayment(deps, order, { ...first, signal: controller.signal, onProgress })
    const forget = () => {
      if (shared === run) shared = undefined
    }
    const stop = () => {
      forget()
      controller.abort()
    }
    const run = { calls, result, stop, intent: () => intent }
    // Before any caller knows the result and pays again.
    result.then(forget, forget)
    return run
  }

  return async (order, options = {}) => {
    // An object of its own, because two calls may have the same options.
    const call = { ...options }
    const { calls, result, stop, intent } = (shared ??= start(order, call))
    calls.add(call)
    return new Promise((resolve, reject) => {
      const leave = () => {
        calls.delete(call)
        if (calls.size === 0) stop()
        resolve({ outcome: 'unresolved', reason: 'aborted', intent: intent() })
      }
      const end = () => call.signal?.removeEventListener('abort', leave)
      call.signal?.addEventListener('abort', leave)
      void result.then(resolve, reject).then(end)
      if (isAborted(call.signal)) leave()
    })
  }
}
