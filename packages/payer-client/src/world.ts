/** The used part of an `AbortSignal`, for environments whose types lack it. */
interface SignalLike {
  /** Whether the signal was aborted. */
  readonly aborted: boolean
  /** Calls the listener when the signal is aborted. */
  addEventListener(type: 'abort', listener: () => void): void
  /** Removes a listener. */
  removeEventListener(type: 'abort', listener: () => void): void
}

/** The environment's own `AbortSignal`, if its types have one. */
export type Signal = typeof globalThis extends { AbortSignal: { prototype: infer Native } }
  ? Native
  : SignalLike

export const isAborted = (signal: Signal | undefined): boolean => signal?.aborted === true

/**
 * Sends one request. The global `fetch` fits.
 *
 * @example
 * ```ts
 * const slow: Fetch = async (url, init) => {
 *   await new Promise((resolve) => setTimeout(resolve, 2_000))
 *   return fetch(url, init)
 * }
 * ```
 */
export type Fetch = (
  url: string,
  init: {
    /** POST to pay, GET to read. */
    method: 'GET' | 'POST'
    /** The headers by name. They hold the secret. */
    headers: Record<string, string>
    /** The form of a POST. */
    body?: string
    /** Aborts the request after its time, or when the caller stops. */
    signal: Signal
    /** Answers are never cached. */
    cache: 'no-store'
    /** The service reads no cookie. */
    credentials: 'omit'
    /** The service never redirects. */
    redirect: 'error'
    /** The service reads no referrer. */
    referrerPolicy: 'no-referrer'
  },
) => Promise<{
  /** The HTTP status of the answer. */
  readonly status: number
  /** The headers of the answer. */
  readonly headers: {
    /** Returns the value of a header; null if the answer has none. */
    get(name: string): string | null
  }
  /** Reads the body as text. */
  text(): Promise<string>
}>

interface KeyValueStore {
  getItem(key: string): string | null
  setItem(key: string, value: string): void
  removeItem(key: string): void
}

interface World {
  addEventListener?(type: string, listener: () => void): void
  removeEventListener?(type: string, listener: () => void): void
  readonly fetch: Fetch
  readonly setTimeout: (run: () => void, delayMs: number) => unknown
  readonly clearTimeout: (timer: unknown) => void
  readonly AbortController: new () => { readonly signal: Signal; abort(): void }
  readonly crypto?: { randomUUID?(): string }
  readonly document?: { readonly visibilityState?: string }
  readonly navigator?: { readonly onLine?: boolean }
  readonly sessionStorage?: KeyValueStore
  readonly localStorage?: KeyValueStore
  /** The storage for the choice `none`. */
  readonly noneStorage?: never
}

/** All globals that this package uses. They are read at use, so importing the package needs none of them. */
export const world: World = globalThis as unknown as World
