import type { CancellationReason, Currency, DeclineCode, IntentStatus } from '@merchant-payments/contract'
import { type NewEvent, newEvent } from '../commit/event.ts'
import {
  type CustomerId,
  type InvoiceId,
  type MerchantId,
  mintId,
  type PaymentIntentId,
} from '../base/ids.ts'
import { type MoveFrom, type Target, targetOf } from '../base/lifecycle.ts'
import type { RailCode } from '../rails/port.ts'
import { intentEvent, type IntentLifecycle, intentLifecycle, type IntentMove } from './lifecycle.ts'
import { renderPaymentIntent } from './render.ts'

/** `message` and `declineCode` are the rail's own words, which an erasure redacts. */
export interface PaymentError {
  readonly code: DeclineCode
  readonly declineCode: string | null
  readonly message: string | null
  readonly rail: RailCode
}

export interface IntentFields {
  readonly merchantId: MerchantId
  readonly id: PaymentIntentId
  readonly amountMinor: number
  readonly currency: Currency
  readonly paymentMethodTypes: readonly RailCode[]
  readonly customerId: CustomerId | null
  readonly description: string | null
  readonly metadata: Readonly<Record<string, string>>
  /** A secret from before secrets were derived. Null if it is derived. */
  readonly storedSecret: string | null
  readonly livemode: boolean
  readonly invoiceId: InvoiceId | null
  readonly lastPaymentError: PaymentError | null
  readonly redirectUrl: string | null
  readonly returnUrl: string | null
  readonly canceledAtMs: number | null
  readonly cancellationReason: CancellationReason | null
  readonly revision: number
}

export type Intent<S extends IntentStatus = IntentStatus> = S extends unknown
  ? IntentFields & { readonly status: S }
  : never

type Terms = Pick<
  IntentFields,
  | 'merchantId'
  | 'amountMinor'
  | 'currency'
  | 'paymentMethodTypes'
  | 'customerId'
  | 'description'
  | 'metadata'
  | 'livemode'
  | 'invoiceId'
>

export function freshIntent(terms: Terms, nowMs: number): Intent<'requires_payment_method'> {
  const id = mintId('pi', nowMs)
  return {
    ...terms,
    id,
    status: 'requires_payment_method',
    storedSecret: null,
    lastPaymentError: null,
    redirectUrl: null,
    returnUrl: null,
    canceledAtMs: null,
    cancellationReason: null,
    revision: 0,
  }
}

interface Facts {
  accept: { redirectUrl: string | null; returnUrl: string | null }
  succeed: object
  decline: { error: PaymentError }
  cancel: { reason: CancellationReason | null }
}

export interface IntentChange<S extends IntentStatus = IntentStatus> {
  readonly before: Intent
  readonly after: Intent<S>
  readonly event: NewEvent | null
}

/** Pure: the event contains the row as the change leaves it (spec 6.2). */
export function moveIntent<S extends IntentStatus, M extends MoveFrom<IntentLifecycle, S>>(
  before: Intent<S>,
  move: M,
  facts: Facts[M & keyof Facts],
  nowMs: number,
): IntentChange<Target<IntentLifecycle, S, M> & IntentStatus> {
  const status = targetOf(intentLifecycle, before.status, move, 'an intent')
  const fields = applied[move as IntentMove](facts as never, nowMs)
  const after = { ...before, ...fields, status, revision: before.revision + 1 } as Intent
  const type = intentEvent[move as IntentMove]
  const event =
    type === null
      ? null
      : newEvent(type, renderPaymentIntent(after), {
          livemode: after.livemode,
          customerId: after.customerId,
          nowMs,
        })
  return { before, after: after as Intent<Target<IntentLifecycle, S, M> & IntentStatus>, event }
}

const notRedirected = { redirectUrl: null, returnUrl: null }

const applied: { [M in IntentMove]: (facts: Facts[M], nowMs: number) => Partial<IntentFields> } = {
  accept: ({ redirectUrl, returnUrl }) => ({ redirectUrl, returnUrl }),
  // docs/spec-gaps.md: a success clears an earlier refusal or cancel.
  succeed: () => ({ ...notRedirected, lastPaymentError: null, canceledAtMs: null, cancellationReason: null }),
  decline: ({ error }) => ({ ...notRedirected, lastPaymentError: error }),
  cancel: ({ reason }, nowMs) => ({ ...notRedirected, canceledAtMs: nowMs, cancellationReason: reason }),
}
