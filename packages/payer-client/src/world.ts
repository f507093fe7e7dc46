/** The used part of an `AbortSignal`, for environments whose types lack it. */
interface SignalLike {
  readonly aborted: boolean
  addEventListener(type: 'abort', listener: () => void): void
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
    method: 'GET' | 'POST'
    headers: Record<string, string>
    body?: string
    signal: Signal
    cache: 'no-store'
    credentials: 'omit'
    redirect: 'error'
    referrerPolicy: 'no-referrer'
  },
) => Promise<{
  readonly status: number
  readonly headers: { get(name: string): string | null }
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
