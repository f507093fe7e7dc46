/** The service reads up to 5 levels of brackets. The limit also stops at cyclic objects. */
const NESTING_MAX = 5

/** A rail of a confirm or a refund. One without fields is an empty value: left out, another rail could take its place. */
const rail = /^(?:payment_method_data|destination)\[[^[]+$/

/** Most keys and values stand for themselves, and need no encoding. */
const simple = /^[\w.-]+$/

/**
 * Encodes a form with bracket nesting, for bodies and queries (spec 2.1). Keys are sorted, because the service compares the
 * bytes of a request with those of its repetition (spec 8). A database can return metadata in another order. An empty
 * list is an empty value, because a list that is left out changes nothing. Throws for values that a form cannot represent. Messages name the parameter, never its
 * value.
 */
export function encodeForm(params: object): string {
  const pairs: string[] = []
  const given = plain(params, '')
  for (const key of keysOf(given)) append(pairs, keyPart(key, ''), given[key], 0)
  return pairs.join('&')
}

function append(pairs: string[], name: string, value: unknown, depth: number): void {
  if (value === undefined) return
  if (Array.isArray(value) && value.length === 0) {
    pairs.push(`${name}=`)
  } else if (typeof value === 'object' && value !== null) {
    if (depth === NESTING_MAX) throw new TypeError(`${name} is nested deeper than ${NESTING_MAX} levels`)
    const given = plain(value, name)
    const before = pairs.length
    for (const key of keysOf(given)) {
      append(pairs, `${name}[${keyPart(key, name)}]`, given[key], depth + 1)
    }
    if (pairs.length === before && rail.test(name)) pairs.push(`${name}=`)
  } else {
    pairs.push(`${name}=${encodeText(scalarText(value, name), name)}`)
  }
}

function plain(value: object, name: string): Readonly<Record<string, unknown>> {
  if (!Array.isArray(value) && !isPlain(value)) {
    throw new TypeError(`${name || 'params'} must be a plain object, an array or a scalar`)
  }
  return value as Record<string, unknown>
}

/** Sorted by code units. Those of a list stay in its order. */
function keysOf(value: object): string[] {
  const keys = Object.keys(value)
  return Array.isArray(value) ? keys : keys.sort()
}

/** A runtime may have several realms, each with its own Object. */
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === null || Object.getPrototypeOf(prototype) === null
}

function keyPart(key: string, parent: string): string {
  if (simple.test(key)) return key
  if (key === '' || /[[\]]/.test(key)) {
    throw new TypeError(`${parent || 'params'} has a key that is empty or holds brackets`)
  }
  return encodeText(key, parent || 'params')
}

function scalarText(value: unknown, name: string): string {
  if (value === null) return ''
  if (typeof value === 'string') return value
  if (typeof value === 'boolean') return String(value)
  if (typeof value === 'number' && Number.isSafeInteger(value)) return String(value)
  if (typeof value === 'bigint' && Number.isSafeInteger(Number(value))) return String(value)
  // The API has no floating-point numbers (spec 1.3).
  if (typeof value === 'number' || typeof value === 'bigint')
    throw new TypeError(`${name} must be a safe integer`)
  throw new TypeError(`${name} must not be a ${typeof value}`)
}

function encodeText(text: string, name: string): string {
  if (simple.test(text)) return text
  if (!text.isWellFormed()) throw new TypeError(`${name} is not well-formed Unicode`)
  return encodeURIComponent(text)
}
