import { world } from './world.ts'

/**
 * Whether it is worth asking: somebody looks, and the device is connected. While it is off nothing is asked.
 *
 * @example
 * ```ts
 * // React Native
 * const attention: Attention = {
 *   isOn: () => AppState.currentState === 'active',
 *   onChange: (listener) => {
 *     const subscription = AppState.addEventListener('change', listener)
 *     return () => subscription.remove()
 *   },
 * }
 * ```
 */
export interface Attention {
  isOn(): boolean
  /** Calls `listener` whenever `isOn` may have changed, and when a page is shown again. Returns what ends it. */
  onChange(listener: () => void): () => void
}

/**
 * All of them reach the window, the document's own too. A page out of the back-forward cache has old news and no
 * visibilitychange of its own.
 */
const news = ['visibilitychange', 'online', 'pageshow']

/** A page that is visible and online. Where there is no page it is always on. */
export const pageAttention: Attention = {
  isOn: () => world.document?.visibilityState !== 'hidden' && world.navigator?.onLine !== false,
  onChange: (listener) => {
    for (const type of news) world.addEventListener?.(type, listener)
    return () => {
      for (const type of news) world.removeEventListener?.(type, listener)
    }
  },
}
