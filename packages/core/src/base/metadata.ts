import { METADATA_KEYS_MAX, Refusal } from '@merchant-payments/contract'

export type Metadata = Readonly<Record<string, string>>

/** As a create keeps it: an empty value asks for a key's removal, here for its absence. */
export const newMetadata = (wanted: Metadata = {}): Metadata => mergeMetadata({}, wanted)

/**
 * Spec 4.4.3: merges key by key, and a key sent empty is removed. Without a prototype, so that `__proto__` is a key.
 *
 * @throws Refusal invalid_request when more keys are left than an object may have
 */
export function mergeMetadata(before: Metadata, changes: Metadata): Metadata {
  const merged = Object.create(null) as Record<string, string>
  for (const [key, value] of [...Object.entries(before), ...Object.entries(changes)]) merged[key] = value
  for (const key of Object.keys(changes)) if (merged[key] === '') delete merged[key]
  if (Object.keys(merged).length > METADATA_KEYS_MAX) {
    throw new Refusal('invalid_request', `must have at most ${METADATA_KEYS_MAX} keys`, { param: 'metadata' })
  }
  return merged
}

/** Whatever the order of their keys. */
export function sameMetadata(one: Metadata, other: Metadata): boolean {
  const keys = Object.keys(one)
  return keys.length === Object.keys(other).length && keys.every((key) => one[key] === other[key])
}
