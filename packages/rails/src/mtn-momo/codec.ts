import { type Currency, currencyDigits, isCurrency } from '@merchant-payments/contract'
import {
  type CallbackReference,
  plainCode,
  type SubmitCharge,
  type SubmitRefund,
} from '@merchant-payments/core'
import { type JsonObject, railText, readCallback } from '../answer.ts'

/** Replaces an amount that could not be read. No charge has it, so it never settles one. */
export const UNREADABLE_AMOUNT = -1

const uuidV4 = /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/i

/** The operator refuses apostrophes and more than 160 characters, so these texts are plain and never a merchant's. */
const chargeNotes = { fr: 'Paiement par Mobile Money', en: 'Mobile Money payment' } as const
const DEFAULT_LOCALE = 'fr'
const refundNote = 'Remboursement Mobile Money'

export interface Money {
  readonly settlementCurrency: Currency
  readonly wireCurrency: string
}

export function renderCharge(charge: SubmitCharge, money: Money): string {
  const payer = { partyIdType: 'MSISDN', partyId: charge.payer }
  return JSON.stringify({
    ...instruction(charge, money, chargeNotes[charge.locale ?? DEFAULT_LOCALE]),
    payer,
  })
}

export function renderRefund(refund: SubmitRefund, money: Money): string {
  const payee = { partyIdType: 'MSISDN', partyId: refund.destination }
  return JSON.stringify({ ...instruction(refund, money, refundNote), payee })
}

const instruction = (sent: SubmitCharge | SubmitRefund, money: Money, note: string) => ({
  amount: wireAmount(sent.amountMinor, fractionDigits(money)),
  currency: money.wireCurrency,
  // The only one of our identifiers that statuses and callbacks echo.
  externalId: sent.reference,
  payerMessage: note,
  payeeNote: note,
})

/** Reads why a transaction failed: a bare string, an object with a code and a message, or an empty object. */
export function readReason(reason: unknown): { railCode: string | null; railMessage: string | null } {
  if (typeof reason !== 'object' || reason === null) return { railCode: railText(reason), railMessage: null }
  const { code, message } = reason as JsonObject
  return { railCode: railText(code), railMessage: railText(message) }
}

/** Reads amount and currency. The rail always reports both, so a missing one counts as wrong, and so does a sentence. */
export function readMoney(body: JsonObject, money: Money): { amountMinor: number; currency: string } {
  if (body.currency === money.wireCurrency) {
    return {
      amountMinor: minorAmount(body.amount, fractionDigits(money)),
      currency: money.settlementCurrency,
    }
  }
  const currency = plainCode(railText(body.currency)) ?? ''
  const digits = isCurrency(currency) ? currencyDigits[currency] : fractionDigits(money)
  return { amountMinor: minorAmount(body.amount, digits), currency }
}

/** Whether a status names another transaction of ours than the one that was asked for. */
export const isOfAnother = (body: JsonObject | null, reference: string): boolean => {
  const echoed = body?.externalId
  return typeof echoed === 'string' && uuidV4.test(echoed) && echoed.toLowerCase() !== reference
}

export const parseCallbackQuery = (query: URLSearchParams): CallbackReference | null =>
  referenceOf(query.get('ref'))

export const parseCallbackBody = (body: Uint8Array): CallbackReference | null =>
  referenceOf(readCallback(body)?.externalId)

const referenceOf = (value: unknown): CallbackReference | null =>
  typeof value === 'string' && uuidV4.test(value) ? { by: 'reference', value: value.toLowerCase() } : null

const fractionDigits = ({ wireCurrency, settlementCurrency }: Money) =>
  currencyDigits[isCurrency(wireCurrency) ? wireCurrency : settlementCurrency]

function wireAmount(amountMinor: number, digits: number): string {
  const text = String(amountMinor).padStart(digits + 1, '0')
  return digits === 0 ? text : `${text.slice(0, -digits)}.${text.slice(-digits)}`
}

/**
 * Parses an amount into minor units. Amounts are not compared as text, because the rail normalises them (5.0
 * comes back as 5).
 */
function minorAmount(amount: unknown, digits: number): number {
  if (typeof amount !== 'string') return UNREADABLE_AMOUNT
  const [, whole, fraction = ''] = /^(\d{1,15})(?:\.(\d{1,15}))?$/.exec(amount) ?? []
  const significant = fraction.replace(/0+$/, '')
  if (whole === undefined || significant.length > digits) return UNREADABLE_AMOUNT
  const minor = Number(whole + significant.padEnd(digits, '0'))
  return Number.isSafeInteger(minor) ? minor : UNREADABLE_AMOUNT
}
