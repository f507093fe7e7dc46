import type { Rails } from '../rails.ts'
import type { Answer, Checked } from '../wire/answer.ts'
import { headerOf } from '../wire/mount.ts'
import type { WireRequest } from '../wire/mount.ts'
import { parseJson } from '../wire/parse-json.ts'
import { describedError, orangeError } from './answers.ts'

export type JsonObject = Readonly<Record<string, unknown>>

/** Checks every call with a token: the token first, then that the body is a JSON object. */
export function authorise(request: WireRequest, rails: Pick<Rails, 'orange'>): Checked<JsonObject> {
  const refusal = tokenRefusal(request, rails)
  if (refusal !== undefined) return { refusal }
  if (!headerOf(request.headers, 'content-type')?.startsWith('application/json')) {
    return { refusal: orangeError('INVALID_HEADER', 'Content-Type is not application/json') }
  }
  const body = parseJson(request.body)
  return isObject(body)
    ? { ok: body }
    : { refusal: orangeError('INVALID_BODY', 'the body is no JSON object') }
}

function tokenRefusal(request: WireRequest, rails: Pick<Rails, 'orange'>): Answer | undefined {
  const header = headerOf(request.headers, 'authorization')
  if (header === null) return orangeError('NO_CREDENTIALS')
  const [scheme, token = ''] = header.split(' ', 2)
  const standing = scheme === 'Bearer' ? rails.orange.credentials.standingOf(token) : 'unknown'
  if (standing === 'good') return undefined
  return orangeError(standing === 'expired' ? 'OLD_CREDENTIALS' : 'WRONG_CREDENTIALS')
}

/** Orange's validator uses its own field names: OrderId of GetTransactionStatusInfo for order_id. */
export function missingFields(
  body: JsonObject,
  names: readonly string[],
  struct: string,
): Answer | undefined {
  const lines = names
    .filter((name) => isMissing(body[name]))
    .map((name) => name.replace(/(?:^|_)([a-z])/g, (_match, letter: string) => letter.toUpperCase()))
    .map(
      (field) =>
        `Key: '${struct}.${field}' Error:Field validation for '${field}' failed on the 'required' tag`,
    )
  return lines.length === 0 ? undefined : describedError('MISSING_FIELD', lines.join('\n'))
}

// The validator treats an empty string and a zero as missing.
function isMissing(value: unknown): boolean {
  return value === undefined || value === null || value === '' || value === 0
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
