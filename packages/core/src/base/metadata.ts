import { METADATA_KEYS_MAX, Refusal } from '@merchant-payments/contract'

export type Metadata = Readonly<Record<string, string>>

export const newMetadata = (wanted?: Metadata): Metadata => mergeMetadata({}, wanted)

/**
 * Spec 4.4.3: a key that is sent empty is removed, and null removes all (docs/spec-gaps.md). The result has no
 * prototype, so that `__proto__` is an ordinary key.
 *
 * @throws Refusal invalid_request if more keys remain than an object may have
 */
export function mergeMetadata(before: Metadata, changes: Metadata | null = {}): Metadata {
  const merged = Object.create(null) as Record<string, string>
  if (changes === null) return merged
  for (const [key, value] of [...Object.entries(before), ...Object.entries(changes)]) merged[key] = value
  for (const key of Object.keys(changes)) if (merged[key] === '') delete merged[key]
  if (Object.keys(merged).length > METADATA_KEYS_MAX) {
    throw new Refusal('invalid_request', `must have at most ${METADATA_KEYS_MAX} keys`, { param: 'metadata' })
  }
  return merged
}

export function sameMetadata(one: Metadata, other: Metadata): boolean {
  const keys = Object.keys(one)
  return keys.length === Object.keys(other).length && keys.every((key) => one[key] === other[key])
}
