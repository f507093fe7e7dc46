import {
  createVerifier,
  type Event,
  isWebhookVerificationError,
  type Verifier,
  type VerifierOptions,
  type WebhookVerificationError,
} from '@merchant-payments/webhook-verifier'

/** The options of a verifier, and an observer of refusals. */
export interface WebhookHandlerOptions extends VerifierOptions {
  /**
   * Called with each refusal, for a log line. The sender gets only the status 400. Errors that it throws or
   * rejects with are ignored.
   */
  onRefused?: ((error: WebhookVerificationError) => void) | undefined
}

/**
 * Stores the event before it is acknowledged. Its errors go to the framework, and the service sends the event
 * again.
 */
export type OnEvent = (event: Event) => unknown

/**
 * Verifies a request and calls `onEvent`.
 *
 * @returns the status to answer, 200 or 400
 */
export type Receive = (open: (verifier: Verifier) => Promise<Event>) => Promise<number>

export function createReceive(options: WebhookHandlerOptions, onEvent: OnEvent): Receive {
  const { onRefused, ...verifierOptions } = options
  const verifier = createVerifier(verifierOptions)
  return async (open) => {
    let event: Event
    try {
      event = await open(verifier)
    } catch (error) {
      if (!isWebhookVerificationError(error)) throw error
      notify(onRefused, error)
      return 400
    }
    await onEvent(event)
    return 200
  }
}

/** Calls an observer. Anybody can cause a refusal, so a failing observer must not end the process or answer 500. */
function notify<T>(observer: ((value: T) => void) | undefined, value: T): void {
  try {
    const returned: unknown = observer?.(value)
    Promise.resolve(returned).catch(() => undefined)
  } catch {
    // The answer stays 400.
  }
}
