import type { Clock } from './settings.ts'
import { world } from './world.ts'

/**
 * Where an attempt's key survives a reload. `sessionStorage`, `localStorage` and React Native's
 * `AsyncStorage` fit.
 *
 * @example
 * ```ts
 * import AsyncStorage from '@react-native-async-storage/async-storage'
 *
 * const client = createPayerClient({ baseUrl, clientSecret, publishableKey, storage: AsyncStorage })
 * ```
 */
export interface AttemptStorage {
  /** Returns the text kept under a name; null if there is none. */
  getItem(name: string): string | null | Promise<string | null>
  /** Keeps a text under a name. */
  setItem(name: string, value: string): unknown
  /** Forgets the text of a name. */
  removeItem(name: string): unknown
}

/**
 * How long a client waits for its storage in all. Long, because an attempt that the storage does not have is
 * forgotten after a reload.
 */
const PATIENCE_MS = 3_000

/**
 * A storage that throws, as in private windows, counts as empty, and so does one that does not answer. It must not
 * stop a payment.
 */
export function safeStorage(choice: 'session' | 'local' | 'none' | AttemptStorage, clock: Clock) {
  let patienceMs = PATIENCE_MS

  /** Resolves to null if there is no answer in time, and then waits no more for this storage. */
  const within = <T>(answer: T | PromiseLike<T>): Promise<T | null> =>
    new Promise((resolve, reject) => {
      const timer = clock.setTimeout(() => {
        patienceMs = 0
        resolve(null)
      }, patienceMs)
      const stop = () => clock.clearTimeout(timer)
      void Promise.resolve(answer).then(resolve, reject).then(stop)
    })

  const use = async <T>(work: (storage: AttemptStorage) => T): Promise<Awaited<T> | null> => {
    try {
      const storage = typeof choice === 'string' ? world[`${choice}Storage`] : choice
      return storage === undefined ? null : await within(work(storage))
    } catch {
      return null
    }
  }
  return {
    get: (name: string): Promise<string | null> => use((storage) => storage.getItem(name)),
    set: (name: string, value: string): Promise<unknown> => use((storage) => storage.setItem(name, value)),
    remove: (name: string): Promise<unknown> => use((storage) => storage.removeItem(name)),
  }
}

export type SafeStorage = ReturnType<typeof safeStorage>
