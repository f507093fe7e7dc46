/** The part of an `AbortSignal` that this package uses. */
export interface SignalLike {
  /** Whether the signal has aborted. */
  readonly aborted: boolean
  /** Why the signal aborted. */
  readonly reason: unknown
  /** Calls the listener when the signal aborts. */
  addEventListener(
    type: 'abort',
    listener: () => void,
    options?: {
      /** Whether the listener is removed after its first call. */
      once?: boolean
    },
  ): void
  /** Removes a listener. */
  removeEventListener(type: 'abort', listener: () => void): void
  /** Throws the reason if the signal has aborted. */
  throwIfAborted(): void
}

/**
 * The `AbortSignal` that the program's types declare: Node's or the DOM's. A program with neither gets a shape of it,
 * so that the types of this package compile there too.
 */
export type Signal = typeof globalThis extends { AbortSignal: { prototype: infer Native } }
  ? Native
  : SignalLike
