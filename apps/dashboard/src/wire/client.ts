import type { AuditEntry, ExportFile, LookupResult, SignedOut, Statement } from '@merchant-payments/contract'
import { noteTime } from '../clock.ts'
import { i18n } from '../i18n.ts'
import { noteRequest } from '../last-request.ts'
import { ApiError, faultOf } from './api-error.ts'
import { noteLag } from './lag.ts'
import {
  type Answer,
  type ChangeName,
  changes,
  COMPARE,
  EXPORTS,
  LOOKUP,
  type ReadName,
  reads,
  STATEMENT_LINES,
  STATEMENTS,
} from './operations.ts'

const BASE = '/dash/v1'
/** A staff member who has waited this long reloads the page. */
const TIMEOUT_MS = 20_000

/** The message of a request without an answer. */
const lost = {
  read: i18n.t('No answer. Check your connection; the request is repeated automatically.'),
  once: i18n.t('No answer. Check your connection, and try again.'),
  change: i18n.t(
    'No answer, so it may have been done. It is not repeated automatically. Check your connection, then send the same again.',
  ),
} as const

type Query = Readonly<Record<string, string | undefined>>

export interface ReadParams {
  readonly id?: string
  readonly query?: Query
}

/** @throws ApiError */
export const read = <Name extends ReadName>(
  name: Name,
  { id, query = {} }: ReadParams,
  signal: AbortSignal,
): Promise<Answer<Name>> => {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== '')
  const text = new URLSearchParams(given as [string, string][]).toString()
  const address = withId(reads[name], id) + (text === '' ? '' : `?${text}`)
  return exchange(address, { signal })
}

/**
 * Sent by POST, so that the URL holds no number.
 *
 * @throws ApiError
 */
export const lookUp = (
  text: string,
  csrfToken: string,
  signal: AbortSignal | null = null,
): Promise<LookupResult> =>
  exchange(LOOKUP, {
    method: 'POST',
    headers: { 'csrf-token': csrfToken },
    body: new URLSearchParams({ q: text }),
    signal,
  })

/** @throws ApiError */
export const makeExport = (form: Readonly<Record<string, string>>, csrfToken: string): Promise<ExportFile> =>
  exchange(EXPORTS, {
    method: 'POST',
    headers: { 'csrf-token': csrfToken },
    body: new URLSearchParams(form),
  })

/** @throws ApiError */
export const beginStatement = (
  form: Readonly<Record<string, string>>,
  csrfToken: string,
  key: string,
): Promise<AuditEntry> =>
  exchange(STATEMENTS, {
    method: 'POST',
    headers: { 'csrf-token': csrfToken, 'idempotency-key': key },
    body: new URLSearchParams(form),
  })

/**
 * Sends whole lines of a statement's file. A part that was taken before changes nothing.
 *
 * @throws ApiError
 */
export const sendLines = (
  id: string,
  { part, linesBefore }: { readonly part: number; readonly linesBefore: number },
  text: string,
  csrfToken: string,
): Promise<Statement> =>
  exchange(`${withId(STATEMENT_LINES, id)}?part=${part}&lines_before=${linesBefore}`, {
    method: 'POST',
    headers: { 'csrf-token': csrfToken, 'content-type': 'text/csv; charset=utf-8' },
    body: text,
  })

/**
 * @param form has the number of parts until the upload has ended
 * @throws ApiError
 */
export const compare = (
  id: string,
  form: Readonly<Record<string, string>>,
  csrfToken: string,
): Promise<Statement> =>
  exchange(withId(COMPARE, id), {
    method: 'POST',
    headers: { 'csrf-token': csrfToken },
    body: new URLSearchParams(form),
  })

export interface ChangeRequest {
  readonly id: string
  /** The parameters, including the reason. */
  readonly form: Readonly<Record<string, string>>
  readonly csrfToken: string
  /** The Idempotency-Key. A change that is sent again keeps its key. */
  readonly key: string
}

/** @throws ApiError */
export const change = (name: ChangeName, { id, form, csrfToken, key }: ChangeRequest): Promise<AuditEntry> =>
  exchange(
    withId(changes[name].path, id),
    {
      method: 'POST',
      headers: { 'csrf-token': csrfToken, 'idempotency-key': key },
      body: new URLSearchParams(form),
    },
    lost.change,
  )

/** @throws ApiError */
export const signOut = (csrfToken: string): Promise<SignedOut> =>
  exchange('/sign_out', { method: 'POST', headers: { 'csrf-token': csrfToken } })

/** @param isStepUp makes the provider authenticate again */
export const signInAddress = (returnTo: string, isStepUp = false): string =>
  `${BASE}/sign_in?${new URLSearchParams({ return_to: returnTo, ...(isStepUp && { step_up: 'true' }) })}`

const withId = (path: string, id = ''): string => path.replace('{id}', encodeURIComponent(id))

async function exchange<T>(
  path: string,
  { signal, ...init }: RequestInit,
  whenLost: string = init.method === 'POST' ? lost.once : lost.read,
): Promise<T> {
  const timeout = AbortSignal.timeout(TIMEOUT_MS)
  const ended = signal ? AbortSignal.any([signal, timeout]) : timeout
  let response: Response
  try {
    response = await fetch(`${BASE}${path}`, { ...init, signal: ended, credentials: 'same-origin' })
  } catch (error) {
    if (signal?.aborted) throw error
    throw new ApiError('offline', whenLost)
  }
  noteLag(response)
  noteTime(response)
  noteRequest()
  if (!response.ok) throw await faultOf(response)
  return (await response.json()) as T
}
