import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createContext, runInContext } from 'node:vm'
import type * as payerClient from '../src/index.ts'
import type { FakeClock } from './fake-clock.ts'

type PayerClientPackage = typeof payerClient

/**
 * Loads the published file with only the language itself and what React Native documents: timers, fetch,
 * AbortController. There is no document, location, storage, crypto, URL, DOMException or structuredClone.
 */
export async function loadInReactNative(
  folder: string,
  clock: FakeClock,
  fetch: payerClient.Fetch,
): Promise<PayerClientPackage> {
  const code = await readFile(join(folder, 'dist/index.cjs'), 'utf8')
  const surroundings = createContext({
    setTimeout: (run: () => void, delayMs: number) => clock.setTimeout(run, delayMs),
    clearTimeout: (timer: unknown) => clock.clearTimeout(timer),
    navigator: { product: 'ReactNative' },
    fetch: fetchOfReactNative(fetch, clock),
    AbortController: ReactNativeAbortController,
    now: () => clock.now(),
  })
  runInContext('Date.now = now; globalThis.window = globalThis', surroundings)
  const run = runInContext(`(function (module, exports) { ${code}\n})`, surroundings) as (
    module: object,
    exports: object,
  ) => void
  const module = { exports: {} }
  run(module, module.exports)
  return module.exports as PayerClientPackage
}

/** React Native's fetch adds a parameter to URLs that must not come from a cache. */
const fetchOfReactNative =
  (fetch: payerClient.Fetch, clock: FakeClock): payerClient.Fetch =>
  (url, init) =>
    fetch(init.method === 'GET' ? `${url}?_=${clock.now()}` : url, init)

/** A polyfill. Its abort has no reason, and its signals lack `any` and `timeout`. */
class ReactNativeAbortController {
  readonly #listeners = new Set<() => void>()
  readonly signal = {
    aborted: false,
    addEventListener: (_type: 'abort', listener: () => void) => void this.#listeners.add(listener),
    removeEventListener: (_type: 'abort', listener: () => void) => void this.#listeners.delete(listener),
  }

  abort(): void {
    this.signal.aborted = true
    for (const listener of this.#listeners) listener()
  }
}

export const AbortController = ReactNativeAbortController as unknown as typeof globalThis.AbortController

/** `AsyncStorage`, whose items survive the app. */
export function asyncStorage() {
  const items = new Map<string, string>()
  return {
    items,
    getItem: async (name: string) => items.get(name) ?? null,
    setItem: async (name: string, value: string) => void items.set(name, value),
    removeItem: async (name: string) => void items.delete(name),
  }
}

type AppStateStatus = 'active' | 'background'

/** `AppState`. */
export function appState() {
  const listeners = new Set<(status: AppStateStatus) => void>()
  return {
    currentState: 'active' as AppStateStatus,
    listeners,
    addEventListener(_type: 'change', listener: (status: AppStateStatus) => void) {
      listeners.add(listener)
      return { remove: () => listeners.delete(listener) }
    },
    turn(status: AppStateStatus) {
      this.currentState = status
      for (const listener of listeners) listener(status)
    },
  }
}
