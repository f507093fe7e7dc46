import type { Currency } from '@merchant-payments/contract'
import type { KeyClaim } from '../commit/key.ts'
import type { ChargeId, CheckoutSessionId, CustomerId, PaymentIntentId } from '../base/ids.ts'
import type { Intent } from './intent.ts'
import { type IntentRow, intentOf } from './store.ts'
import type { Msisdn } from '../base/phone.ts'
import type { RailCode } from '../rails/port.ts'
import type { Charge } from '../charges/charge.ts'
import type { OpeningRow } from './opening-store.ts'

export interface NewCharge {
  readonly id: ChargeId
  readonly reference: string
  readonly rail: RailCode
  readonly settlementCurrency: Currency
  readonly payer: Msisdn | null
  readonly namedCustomer: CustomerId | null
  /** Null for a merchant, or for a payer with the intent's own secret. */
  readonly session: CheckoutSessionId | null
  readonly openedAtMs: number
  readonly submitDeadlineMs: number
  readonly firstQueryAtMs: number
}

interface Hold {
  readonly untilMs: number
  /** The fencing number of a released key. Null if the request's key is new. */
  readonly released: number | null
}

export interface WantedCharge {
  readonly claim: KeyClaim
  readonly intentId: PaymentIntentId
  readonly charge: NewCharge
  readonly hold: Hold
}

export interface Opening {
  readonly clientOpen: boolean
  readonly intent: Intent | undefined
  /** Null if this request may not run. */
  readonly fence: number | null
  readonly charge: Charge<'submitting'> | undefined
}

export interface PlainCharge extends WantedCharge {
  readonly charge: NewCharge & { readonly session: null; readonly namedCustomer: null }
  readonly hold: Hold & { readonly released: null }
}

export const isPlain = (wanted: WantedCharge): wanted is PlainCharge =>
  wanted.charge.session === null && wanted.charge.namedCustomer === null && wanted.hold.released === null

export function openingOf({ claim, charge }: WantedCharge, row: OpeningRow | undefined): Opening {
  if (row === undefined || row.id === null) {
    return { clientOpen: row?.client_open ?? false, intent: undefined, fence: null, charge: undefined }
  }
  const { client_open: clientOpen, fence, opened, changed_revision: revision } = row
  const read = intentOf(row as IntentRow)
  const intent = opened ? clearedForCharge(read, charge, revision) : read
  return {
    clientOpen,
    intent,
    fence,
    charge: opened ? submitting(intent, charge, claim.requestId) : undefined,
  }
}

function clearedForCharge(intent: Intent, charge: NewCharge, revision: number | null): Intent {
  const customerId = intent.customerId ?? charge.namedCustomer
  return { ...intent, lastPaymentError: null, customerId, revision: revision ?? intent.revision }
}

function submitting(intent: Intent, charge: NewCharge, requestId: string): Charge<'submitting'> {
  return {
    merchantId: intent.merchantId,
    id: charge.id,
    intentId: intent.id,
    rail: charge.rail,
    status: 'submitting',
    amountMinor: intent.amountMinor,
    currency: intent.currency,
    customerId: intent.customerId,
    reference: charge.reference,
    railToken: null,
    callbackSecret: null,
    railTxnId: null,
    railCode: null,
    railMessage: null,
    openedAtMs: charge.openedAtMs,
    submitDeadlineMs: charge.submitDeadlineMs,
    acknowledgedAtMs: null,
    settledAtMs: null,
    nextQueryAtMs: charge.firstQueryAtMs,
    queryRung: 0,
    lastQueryAtMs: null,
    notFoundCount: 0,
    report: null,
    ruling: null,
    requestId,
    revision: 0,
  }
}
