import { type ClientSecretKey, deriveSecret, isSameSecret } from '@merchant-payments/core'

/** Tags by keys of the deployment, so that a made-up text is known without a statement. */
export interface Tags {
  readonly of: (text: string) => string
  /** Whether a configured key made this tag of the text. */
  readonly isOf: (text: string, tag: string) => boolean
}

/**
 * @param keys the first one makes new tags, and each one is accepted
 * @param context separates the tags from all else that is derived from the same keys
 * @param chars length of a tag, each of 6 bits
 */
export function tagsOf(keys: readonly ClientSecretKey[], context: string, chars = 43): Tags {
  const [first] = keys
  if (first === undefined) throw new RangeError(`no key for the tags of ${context}`)
  const tag = (text: string, { key }: ClientSecretKey) =>
    deriveSecret(key, `${context}\n${text}`).slice(0, chars)
  return {
    of: (text) => tag(text, first),
    isOf: (text, given) => keys.some((key) => isSameSecret(given, tag(text, key))),
  }
}
