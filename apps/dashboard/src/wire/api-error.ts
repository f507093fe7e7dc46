import { i18n } from '../i18n.ts'

/** What went wrong, classified by what a person can do about it. */
export type ErrorKind = 'signed_out' | 'forbidden' | 'missing' | 'refused' | 'unavailable' | 'offline'

export class ApiError extends Error {
  readonly kind: ErrorKind
  /** The code of the API's error; null without an answer. */
  readonly code: string | null
  readonly param: string | null
  readonly requestId: string | null

  constructor(
    kind: ErrorKind,
    message: string,
    about: Partial<Pick<ApiError, 'code' | 'param' | 'requestId'>> = {},
  ) {
    super(message)
    this.kind = kind
    this.code = about.code ?? null
    this.param = about.param ?? null
    this.requestId = about.requestId ?? null
  }
}

/** Whether the same request may succeed a little later. */
export const isTransient = (fault: unknown): boolean =>
  fault instanceof ApiError && (fault.kind === 'unavailable' || fault.kind === 'offline')

/** Whether the session is too old for the change. The API has done nothing. */
export const isStepUpRequired = (fault: unknown): boolean =>
  fault instanceof ApiError && fault.code === 'step_up_required'

/** Whether the member has to sign in before the change can be made. The sign-in leads away from the page. */
export const needsSignIn = (fault: unknown): boolean =>
  isStepUpRequired(fault) || (fault instanceof ApiError && fault.kind === 'signed_out')

/** Whether the page has the token of an earlier session, because somebody signed in anew. The API has done nothing. */
export const isOfEarlierSession = (fault: unknown): boolean =>
  fault instanceof ApiError && fault.kind === 'forbidden' && fault.param === 'csrf_token'

/** Whether the object is no longer as the staff member saw it. The API has done nothing. */
export const hasChanged = (fault: unknown): boolean =>
  fault instanceof ApiError && changedSince.has(fault.code)

const changedSince: ReadonlySet<string | null> = new Set([
  'attention_changed',
  'charge_changed',
  'finding_changed',
  'intent_changed',
  'statement_changed',
])

/**
 * The key was seen before. No other change has it, so it was this one that came, perhaps to an api of another release, which
 * does not recognize it.
 */
const seenBefore: ReadonlySet<string | null> = new Set([
  'idempotency_key_in_flight',
  'idempotency_key_in_use',
])

/**
 * What an error says about a change. `refused`: it was not made under its key. `unknown`: it may have been made.
 * `unread`: this request did nothing, because the API refused the sender before it looked at the key.
 */
export function endOf(fault: unknown): 'refused' | 'unknown' | 'unread' {
  if (!(fault instanceof ApiError) || isTransient(fault) || seenBefore.has(fault.code)) return 'unknown'
  return fault.kind === 'forbidden' || fault.kind === 'signed_out' ? 'unread' : 'refused'
}

const kindOf = (status: number): ErrorKind => {
  if (status === 401) return 'signed_out'
  if (status === 403) return 'forbidden'
  if (status === 404) return 'missing'
  return status >= 500 ? 'unavailable' : 'refused'
}

/** An answer from elsewhere, such as a proxy, has no error envelope. */
export async function faultOf(response: Response): Promise<ApiError> {
  const requestId = response.headers.get('request-id')
  const body: unknown = await response.json().catch(() => null)
  const { message, code, param } = envelopeOf(body)
  return new ApiError(
    kindOf(response.status),
    message ?? i18n.t('The service answered {status}.', { status: String(response.status) }),
    {
      code,
      param,
      requestId,
    },
  )
}

type Envelope = Partial<Record<'message' | 'code' | 'param', string>>

function envelopeOf(body: unknown): { message: string | null; code: string | null; param: string | null } {
  const { error } = (body ?? {}) as { error?: Envelope }
  return { message: error?.message ?? null, code: error?.code ?? null, param: error?.param ?? null }
}
