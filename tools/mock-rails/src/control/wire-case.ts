/** Converts keys from camelCase to the control plane's snake_case, and leaves values alone. */
export function toWire(value: unknown): unknown {
  return mapKeys(value, (key) => key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`))
}

export function fromWire(value: unknown): unknown {
  return mapKeys(value, (key) => key.replace(/_([a-z])/g, (_match, letter: string) => letter.toUpperCase()))
}

function mapKeys(value: unknown, rename: (key: string) => string): unknown {
  if (Array.isArray(value)) return value.map((item) => mapKeys(item, rename))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [rename(key), mapKeys(item, rename)]))
}
