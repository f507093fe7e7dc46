import type { Outgoing } from './exchange.ts'
import { encodeForm } from './form.ts'
import type { Settings } from './settings.ts'

/**
 * A call by method and path, for what this version has no method for.
 *
 * @example
 * ```ts
 * const call: Call = { method: 'GET', path: '/v1/newer_resources', params: { limit: 3 } }
 * ```
 */
export interface Call {
  /** The HTTP method. */
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  /** Begins with `/v1/` and has no query: `params` carries it. */
  readonly path: string
  /** The body of a POST or PATCH, the query of a GET or DELETE. */
  readonly params?: object | undefined
}

/**
 * For one call that reads. What is given here wins over the client's options, 0 included.
 *
 * @example
 * ```ts
 * const options: ReadOptions = { timeoutMs: 5_000, maxRetries: 0, signal: AbortSignal.timeout(8_000) }
 * ```
 */
export interface ReadOptions {
  /** For one try, its body included. */
  readonly timeoutMs?: number | undefined
  /** Tries after the first; 0 for none. */
  readonly maxRetries?: number | undefined
  /** Aborts the call, its retries included. */
  readonly signal?: AbortSignal | undefined
  /** Added to the request; those that the client itself sets are refused. */
  readonly headers?: Readonly<Record<string, string>> | undefined
}

/**
 * For one call.
 *
 * @example
 * ```ts
 * const options: RequestOptions = { idempotencyKey: `order-${order.id}`, timeoutMs: 10_000, maxRetries: 0 }
 * ```
 */
export interface RequestOptions extends ReadOptions {
  /**
   * 1 to 255 printable ASCII characters. All retries of the call send the same one. Default: a fresh UUID, which does not
   * survive a restart: name the operation yourself where that matters.
   */
  readonly idempotencyKey?: string | undefined
}

/** Everything of the request but the token; throws a TypeError for what must not be sent. */
export function outgoingOf(
  { baseUrl, userAgent }: Settings,
  { method, path, params }: Call,
  { headers: extra = {}, idempotencyKey }: RequestOptions,
): Omit<Outgoing, 'attempt'> {
  // Appended to baseUrl, anything else could move the token to another host.
  if (!/^\/v1\/[^?#\s\\]+$/.test(path)) throw new TypeError('path must begin with /v1/ and have no query')
  const form = encodeForm(params ?? {})
  const headers = { ...checkedHeaders(extra), accept: 'application/json', 'user-agent': userAgent }
  if (method === 'GET' || method === 'DELETE') {
    return { method, url: baseUrl + path + (form && `?${form}`), headers, body: undefined }
  }
  return {
    method,
    url: baseUrl + path,
    headers: {
      ...headers,
      'content-type': 'application/x-www-form-urlencoded',
      // Spec 4: every POST and PATCH needs one.
      'idempotency-key': checkedKey(idempotencyKey ?? crypto.randomUUID()),
    },
    body: form,
  }
}

/** The path of one object, or of an action on it. */
export function pathOf(collection: string, id: string, action = ''): string {
  // Dots would climb to another route.
  if (typeof id !== 'string' || /^\.{0,2}$/.test(id)) throw new TypeError('id must be the id of an object')
  return `${collection}/${encodeURIComponent(id)}${action}`
}

/** Spec 8. */
function checkedKey(key: string): string {
  if (!/^[\x20-\x7e]{1,255}$/.test(key)) {
    throw new TypeError('idempotencyKey must have 1 to 255 printable ASCII characters')
  }
  return key
}

const ownHeaders = new Set([
  'accept',
  'authorization',
  'connection',
  'content-length',
  'content-type',
  'host',
  'idempotency-key',
  'transfer-encoding',
  'user-agent',
])

function checkedHeaders(extra: Readonly<Record<string, string>>): Record<string, string> {
  const headers: Record<string, string> = {}
  for (const [name, value] of Object.entries(extra)) {
    const lowerName = name.toLowerCase()
    if (ownHeaders.has(lowerName)) throw new TypeError(`headers must not set ${lowerName}`)
    if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name) || !/^[\t\x20-\x7e]*$/.test(value)) {
      throw new TypeError('headers must have token names and printable ASCII values')
    }
    headers[lowerName] = value
  }
  return headers
}
