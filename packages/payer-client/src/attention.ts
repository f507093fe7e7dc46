import { world } from './world.ts'

/**
 * Whether polling is useful: the page is visible and the device is connected. While it is off, no request is
 * sent.
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
  /** Whether polling is useful now. */
  isOn(): boolean
  /**
   * Calls `listener` whenever `isOn` may have changed, and when a page is shown again. Returns a function
   * that removes it.
   */
  onChange(listener: () => void): () => void
}

/**
 * All of these events reach the window, including the document's own. A page restored from the back-forward
 * cache has old data and gets no visibilitychange.
 */
const news = ['visibilitychange', 'online', 'pageshow']

/** On while the page is visible and online. Always on without a page. */
export const pageAttention: Attention = {
  isOn: () => world.document?.visibilityState !== 'hidden' && world.navigator?.onLine !== false,
  onChange: (listener) => {
    for (const type of news) world.addEventListener?.(type, listener)
    return () => {
      for (const type of news) world.removeEventListener?.(type, listener)
    }
  },
}
