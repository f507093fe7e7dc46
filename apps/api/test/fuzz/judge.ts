import { errorKinds } from '@merchant-payments/contract'
import { discreet } from '../matchers.ts'
import type { TestAnswer } from '../send.ts'

/** A rail may lack an operation or be unreachable. These are answers, not faults of the service. */
const railFaults: Readonly<Record<number, string>> = { 501: 'not_supported', 502: 'provider_unavailable' }
const statuses = new Set([200, 201, 304, 400, 401, 403, 404, 405, 409, 412, 413])

/** Rules for every answer (spec 7). */
export function faultsOf(answer: TestAnswer, method: string, secrets: readonly string[]): string[] {
  const { status, headers, text } = answer
  const shown = `${Object.values(headers).join('\n')}\n${text}`
  return [
    ...(statuses.has(status) || railFaults[status] === answer.body?.error?.code
      ? []
      : [`answered ${status}`]),
    ...(/^req_[0-9a-f]{32}$/.test(String(headers['request-id'])) ? [] : ['has no request id']),
    ...(headers['request-id'] === headers['x-request-id'] ? [] : ['has two request ids']),
    ...secrets.filter((secret) => shown.includes(secret)).map((secret) => `shows ${secret}`),
    ...(status < 400 ? [] : errorFaults(answer, method)),
  ]
}

function errorFaults({ status, headers, text, body }: TestAnswer, method: string): string[] {
  if (status === 405 || status === 412 || status === 413)
    return text === '' ? [] : ['has a body below the renderer']
  if (method === 'HEAD' && !isUnread(body)) return text === '' ? [] : ['answers HEAD with a body']
  if (body === null || typeof body.error === 'undefined') return ['has no envelope']
  if (typeof body.error === 'string') return tokenFaults(body)
  const { type, code, message, param, ...more } = body.error as Record<string, unknown>
  const kind = Object.entries(errorKinds).find(([name]) => name === code)?.[1]
  return [
    ...(Object.keys(more).length + Object.keys(body).length === 1 ? [] : ['has more than the envelope']),
    ...(kind?.status === status && kind.type === type
      ? []
      : [`has no kind: ${status} ${String(type)} ${String(code)}`]),
    ...(typeof message === 'string' && discreet.test(message) ? [] : [`says ${String(message)}`]),
    ...(param === undefined || (typeof param === 'string' && param.length <= 100)
      ? []
      : ['names no parameter']),
    ...(headers['compat-should-retry'] === String(kind?.shouldRetry) ? [] : ['has no retry header']),
  ]
}

/** Malformed HTTP is refused before its method is known. */
const isUnread = (body: TestAnswer['body']): boolean =>
  body?.error?.message === 'The request is not well-formed HTTP.'

/** Spec 7.3. */
function tokenFaults({ error, error_description: description, ...more }: Record<string, unknown>): string[] {
  const isClean =
    typeof description === 'string' && discreet.test(description) && /^[a-z_]+$/.test(String(error))
  return isClean && Object.keys(more).length === 0
    ? []
    : [`is no token error: ${String(error)} ${String(description)}`]
}
