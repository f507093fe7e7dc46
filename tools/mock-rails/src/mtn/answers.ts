import type { Answer } from '../wire/answer.ts'

/** The wallet's codes: answers to a submit (with their HTTP status), and reasons of a FAILED status. */
const MESSAGES = {
  RESOURCE_NOT_FOUND: 'Requested resource was not found.',
  RESOURCE_ALREADY_EXIST: 'Duplicated reference id. Creation of resource failed.',
  NOT_ALLOWED: 'Authorization failed. Insufficient permissions.',
  NOT_ALLOWED_TARGET_ENVIRONMENT: 'Access to target environment is forbidden.',
  INVALID_CALLBACK_URL_HOST: 'Callback URL with different host name then configured for API User.',
  INVALID_CURRENCY: 'Currency not supported.',
  INTERNAL_PROCESSING_ERROR: 'An internal error occurred while processing.',
  SERVICE_UNAVAILABLE: 'Service temporarily unavailable, try again later.',
  COULD_NOT_PERFORM_TRANSACTION: 'Could not perform transaction.',
  PAYER_NOT_FOUND: 'Payer does not exist.',
  PAYEE_NOT_FOUND: 'Payee does not exist.',
  PAYEE_NOT_ALLOWED_TO_RECEIVE: 'Payee is unable to receive funds.',
  PAYER_LIMIT_REACHED: 'The payer has reached a limit.',
  NOT_ENOUGH_FUNDS: 'The payer does not have enough funds.',
  LOW_BALANCE_OR_PAYEE_LIMIT_REACHED_OR_NOT_ALLOWED: 'Low balance, a limit was reached, or not allowed.',
  SENDER_ACCOUNT_NOT_ACTIVE: 'The account of the sender is not active.',
  TRANSACTION_CANCELED: 'The transaction was canceled.',
  TRANSFER_TYPE_UNKNOWN: 'The transfer type is unknown.',
  APPROVAL_REJECTED: 'The payer rejected the request.',
  EXPIRED: 'The request expired.',
  PAYER_DELAYED: 'The payer has not answered yet.',
} as const

export type WalletCode = keyof typeof MESSAGES

const STATUS: Partial<Record<WalletCode, number>> = {
  RESOURCE_NOT_FOUND: 404,
  RESOURCE_ALREADY_EXIST: 409,
  SERVICE_UNAVAILABLE: 503,
}

export function walletBody(code: WalletCode): { readonly code: WalletCode; readonly message: string } {
  return { code, message: MESSAGES[code] }
}

/** MTN answers definite refusals with 500 too; only the code distinguishes them from an outage. */
export function walletError(code: WalletCode, why?: string): Answer {
  return { status: STATUS[code] ?? 500, body: walletBody(code), why: why ?? code }
}

/** MTN's 400 has no body. The reason goes to the call log. */
export function badRequest(why: string): Answer {
  return { status: 400, why }
}

export const loginFailed: Answer = {
  status: 401,
  body: { error: 'login_failed' },
  why: 'wrong API user or key',
}

export function gatewayDenied(message: string): Answer {
  return { status: 401, body: { statusCode: 401, message }, why: message }
}
