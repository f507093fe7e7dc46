import type { Outgoing } from './exchange.ts'
import { encodeForm } from './form.ts'
import { type OptionNames, refuseUnknown } from './option-names.ts'
import type { Settings } from './settings.ts'
import type { Signal } from './signal.ts'

/**
 * A call by method and path, for operations that this version lacks.
 *
 * @example
 * ```ts
 * const call: Call = { method: 'GET', path: '/v1/newer_resources', params: { limit: 3 } }
 * ```
 */
export interface Call {
  /** The HTTP method. */
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  /** The path: starts with `/v1/` and has no query. `params` carries the query. */
  readonly path: string
  /** The body of a POST or PATCH, or the query of a GET or DELETE. */
  readonly params?: object | undefined
}

/** A call to one object of the collection at `path`, or to an action on it. */
export interface ObjectCall extends Call {
  readonly id: string
  /** Such as `/cancel`. Default: the object itself. */
  readonly action?: string
}

/**
 * Options of one reading call. They override the client's options, also with 0.
 *
 * @example
 * ```ts
 * const options: ReadOptions = { timeoutMs: 5_000, maxRetries: 0, signal: AbortSignal.timeout(8_000) }
 * ```
 */
export interface ReadOptions {
  /** Time-out of one attempt with its body, in milliseconds. */
  readonly timeoutMs?: number | undefined
  /** Retries after the first attempt; 0 for none. */
  readonly maxRetries?: number | undefined
  /** Aborts the call with its retries. */
  readonly signal?: Signal | undefined
  /** Added to the request. Headers that the client itself sets are refused. */
  readonly headers?: Readonly<Record<string, string>> | undefined
}

/**
 * Options of one writing call.
 *
 * @example
 * ```ts
 * const options: RequestOptions = { idempotencyKey: `order-${order.id}`, timeoutMs: 10_000, maxRetries: 0 }
 * ```
 */
export interface RequestOptions extends ReadOptions {
  /**
   * 1 to 255 printable ASCII characters, without a space at its start or end. All retries of the call send the same
   * key. Default: a new UUID, which is lost at a restart. Choose your own key if the operation must survive a restart.
   * The service forgets a key after 24 hours: the same call then is a second operation.
   */
  readonly idempotencyKey?: string | undefined
}

const optionNames: OptionNames<RequestOptions> = {
  timeoutMs: true,
  maxRetries: true,
  signal: true,
  headers: true,
  idempotencyKey: true,
}

/**
 * Hands surplus arguments to the check of a call's options, which refuses them. JavaScript would drop them, and an
 * idempotency key with them: other clients of such an API have parameters before the options of every call.
 */
export function withCheckedArguments<Calls extends object>(calls: Calls): Calls {
  const entries = Object.entries(calls as Record<string, (...args: unknown[]) => unknown>)
  const checked = entries.map(([name, call]) => [
    name,
    (...args: unknown[]) => {
      const isSurplus = args.slice(call.length).some((one) => one !== undefined)
      return isSurplus ? call(...args.slice(0, call.length - 1), args) : call(...args)
    },
  ])
  return Object.fromEntries(checked) as Calls
}

/** JavaScript would send such a name, which the service ignores. No parameter of the API has one of these names. */
function refuseOptionAmong(params: object): void {
  const found = Object.keys(params).find((name) => Object.hasOwn(optionNames, name))
  if (found === undefined) return
  throw new TypeError(`${found} is an option and no parameter: give it in the argument after the parameters`)
}

export function checkRequestOptions(options: RequestOptions): void {
  if (Array.isArray(options)) {
    throw new TypeError('a call has one argument too many: its options are the last one')
  }
  if (typeof options !== 'object' || options === null)
    throw new TypeError('the options of a call must be an object')
  refuseUnknown(options, optionNames, 'an option of a call')
}

/** Builds the request without its token. Throws a TypeError for invalid input. */
export function outgoingOf(
  { baseUrl, userAgent }: Settings,
  call: Call | ObjectCall,
  { headers: extra, idempotencyKey }: RequestOptions,
): Omit<Outgoing, 'attempt'> {
  const { method, params } = call
  refuseOptionAmong(params ?? {})
  const path = 'id' in call ? pathOf(call) : call.path
  // Any other path, appended to baseUrl, could send the token to another host.
  if (!/^\/v1\/[^?#\s\\]+$/.test(path)) throw new TypeError('path must begin with /v1/ and have no query')
  const form = encodeForm(params ?? {})
  const headers = extra === undefined ? {} : checkedHeaders(extra)
  headers['accept'] = 'application/json'
  headers['user-agent'] = userAgent
  if (method === 'GET' || method === 'DELETE') {
    return { method, url: baseUrl + path + (form && `?${form}`), headers, body: undefined }
  }
  headers['content-type'] = 'application/x-www-form-urlencoded'
  // Every POST and PATCH requires a key (spec 4).
  headers['idempotency-key'] = idempotencyKey === undefined ? crypto.randomUUID() : checkedKey(idempotencyKey)
  return { method, url: baseUrl + path, headers, body: form }
}

function pathOf({ path, id, action = '' }: ObjectCall): string {
  // Dots would lead to another route.
  if (typeof id !== 'string' || /^\.{0,2}$/.test(id) || !id.isWellFormed())
    throw new TypeError('id must be the id of an object')
  return `${path}/${encodeURIComponent(id)}${action}`
}

/** 1 to 255 printable ASCII characters (spec 8). HTTP removes spaces at both ends, so two keys could arrive as one. */
function checkedKey(key: string): string {
  // A pattern reads null as the text "null", which would be one key for many payments.
  if (typeof key !== 'string' || !/^(?! )[\x20-\x7e]{1,255}(?<! )$/.test(key)) {
    throw new TypeError(
      'idempotencyKey must have 1 to 255 printable ASCII characters, and no space at its start or end',
    )
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
