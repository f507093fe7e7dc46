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

/** A storage that throws, as in private windows, counts as empty. It must not stop a payment. */
export function safeStorage(choice: 'session' | 'local' | 'none' | AttemptStorage) {
  const use = async <T>(work: (storage: AttemptStorage) => T): Promise<Awaited<T> | null> => {
    try {
      const storage = typeof choice === 'string' ? world[`${choice}Storage`] : choice
      return storage === undefined ? null : await work(storage)
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
