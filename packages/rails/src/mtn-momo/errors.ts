import type { DeclineCode } from '@merchant-payments/contract'
import type { Decline, QueryOutcome } from '@merchant-payments/core'
import { type JsonObject, railText, statusWord } from '../answer.ts'
import { type Money, readMoney, readReason } from './codec.ts'

export type Purpose = 'charge' | 'refund'

export type SubmitVerdict =
  | { readonly kind: 'accepted' | 'not_sent' | 'unknown' }
  | { readonly kind: 'declined' | 'refusal_unconfirmed'; readonly decline: Decline }

/**
 * The answer proves nothing by itself. If a status query finds no transaction either, the decline holds, if
 * there is one.
 */
export interface AskRail {
  readonly kind: 'ask'
  readonly decline: Decline | null
}

/** About the paying account: on a refund, the deployment's own. */
const payerRefusals = {
  NOT_ENOUGH_FUNDS: 'insufficient_funds',
  LOW_BALANCE_OR_PAYEE_LIMIT_REACHED_OR_NOT_ALLOWED: 'insufficient_funds_or_limit',
  PAYER_NOT_FOUND: 'payer_not_found',
  SENDER_ACCOUNT_NOT_ACTIVE: 'payer_inactive',
  PAYER_LIMIT_REACHED: 'limit_reached',
} as const satisfies Record<string, DeclineCode>

/** About the receiving account: on a charge, the deployment's own. */
const payeeRefusals = {
  PAYEE_NOT_ALLOWED_TO_RECEIVE: 'payee_refused',
  PAYEE_LIMIT_REACHED: 'payee_refused',
  PAYEE_NOT_FOUND: 'payee_refused',
} as const satisfies Record<string, DeclineCode>

const configRefusals = {
  NOT_ALLOWED: 'rail_misconfigured',
  NOT_ALLOWED_TARGET_ENVIRONMENT: 'rail_misconfigured',
  INVALID_CALLBACK_URL_HOST: 'rail_misconfigured',
  INVALID_CURRENCY: 'rail_misconfigured',
  VALIDATION_ERROR: 'rail_misconfigured',
} as const satisfies Record<string, DeclineCode>

/**
 * Codes that refuse before anything is live. With one of them even a 5xx is a decline, once a query finds
 * nothing.
 */
const refusals = new Map<string, DeclineCode>(
  Object.entries({ ...payerRefusals, ...payeeRefusals, ...configRefusals }),
)

/** Codes that report how a live request ended. With a 5xx they prove nothing. */
const endings = new Map<string, DeclineCode>(
  Object.entries({
    APPROVAL_REJECTED: 'payer_declined',
    REJECTED: 'payer_declined',
    PAYMENT_NOT_APPROVED: 'payer_declined',
    TRANSACTION_CANCELED: 'payer_declined',
    EXPIRED: 'approval_timeout',
    COULD_NOT_PERFORM_TRANSACTION: 'approval_timeout',
    INTERNAL_PROCESSING_ERROR: 'rail_processing_error',
    SERVICE_UNAVAILABLE: 'rail_unavailable',
  } satisfies Record<string, DeclineCode>),
)

/** Every code of the operator that has a meaning of its own. */
export const mappedCodes: readonly string[] = [...refusals.keys(), ...endings.keys()]

const unfinished = /^(?:ONGOING|PENDING|(?:[A-Z]+_)?DELAYED)$/

export function judgeSubmit(
  status: number,
  body: JsonObject | null,
  purpose: Purpose,
): SubmitVerdict | AskRail {
  const reason = readReason(body)
  if (status === 202) return { kind: 'accepted' }
  // Only we use this reference, so a duplicate is our own earlier request.
  if (status === 409 && reason.railCode === 'RESOURCE_ALREADY_EXIST') return { kind: 'accepted' }
  if (status === 401 || status === 429) return { kind: 'not_sent' }
  if (status === 403 && isQuota(reason.railMessage)) return { kind: 'not_sent' }
  if (status === 400 || status === 403) {
    return { kind: 'declined', decline: { code: 'rail_misconfigured', actor: 'merchant_config', ...reason } }
  }
  if (status < 400) return { kind: 'unknown' }
  const definite = reason.railCode !== null && refusals.has(reason.railCode)
  return { kind: 'ask', decline: definite ? declineOf(reason, purpose) : null }
}

/** Returns null if the answer says nothing about the transaction. */
export function judgeQuery(
  status: number,
  body: JsonObject | null,
  money: Money,
  purpose: Purpose,
): QueryOutcome | null {
  if (isWalletNotFound(status, body)) return { kind: 'not_found' }
  if (status !== 200 || body === null) return null
  const word = statusWord(body)
  if (word === null) return null
  if (body.status === 'PENDING') return { kind: 'pending' }
  if (body.status !== 'SUCCESSFUL' && body.status !== 'FAILED') {
    return { kind: 'unknown_status', status: word }
  }
  const reason = readReason(body.reason)
  // FAILED can come with a reason that says that the payer may still approve.
  if (reason.railCode !== null && unfinished.test(reason.railCode)) return { kind: 'pending' }
  return body.status === 'SUCCESSFUL'
    ? { kind: 'succeeded', railTxnId: railText(body.financialTransactionId), ...readMoney(body, money) }
    : { kind: 'failed', decline: declineOf(reason, purpose) }
}

/** The wallet's own 404. A gateway's 404 has no code, and says only that a URL is wrong. */
export const isWalletNotFound = (status: number, body: JsonObject | null): boolean =>
  status === 404 && body?.code === 'RESOURCE_NOT_FOUND'

type Reason = Pick<Decline, 'railCode' | 'railMessage'>

function declineOf(reason: Reason, purpose: Purpose): Decline {
  const railCode = reason.railCode ?? ''
  const code =
    purpose === 'refund' && Object.hasOwn(payerRefusals, railCode)
      ? 'rail_misconfigured'
      : (refusals.get(railCode) ?? endings.get(railCode) ?? 'declined')
  return { code, actor: actorOf(code, purpose), ...reason }
}

function actorOf(code: DeclineCode, purpose: Purpose): Decline['actor'] {
  if (code === 'rail_misconfigured') return 'merchant_config'
  if (code === 'payee_refused') return purpose === 'charge' ? 'merchant_config' : 'payer'
  return code === 'rail_processing_error' || code === 'rail_unavailable' || code === 'declined'
    ? 'rail'
    : 'payer'
}

/** The gateway refuses before the wallet sees the request: "Out of call volume quota", "Rate limit is exceeded". */
const isQuota = (message: string | null) => message !== null && /quota|rate limit/i.test(message)
