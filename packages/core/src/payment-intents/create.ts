import { intentInsertions } from './insertions/store.ts'
import { Refusal } from '@merchant-payments/contract'
import type { Deps } from '../deps.ts'
import { clientDisabled } from '../base/client-status.ts'
import type { Answer, KeyClaim } from '../commit/key.ts'
import { CLAIM_TRIES_MAX, findUsedKey, settleRefusal } from '../commit/answers/store.ts'
import { mintId, parseId } from '../base/ids.ts'
import type { RailCode, Rails } from '../rails/port.ts'
import { withoutSecret } from '../base/secrets.ts'
import type { Intent, IntentFields } from './intent.ts'
import { renderPaymentIntent, withClientSecret } from './render.ts'
import { insertIntent } from './store.ts'

export interface CreateIntent {
  readonly amountMinor: number
  readonly currency: Intent['currency']
  readonly paymentMethodTypes: readonly string[]
  readonly customer: string | null
  readonly description: string | null
  readonly metadata: Readonly<Record<string, string>>
}

export type CreateDeps = Pick<Deps, 'db' | 'writes' | 'rails' | 'clock' | 'deployment' | 'fault'>

/** Spec 4.3: creates an intent and stores the answer in one round trip. Writes no event (spec 3.1.4). */
export async function createIntent(deps: CreateDeps, claim: KeyClaim, wanted: CreateIntent): Promise<Answer> {
  const nowMs = deps.clock()
  const intent = draftIntent(deps, claim, wanted, nowMs)
  if (intent instanceof Refusal) return settleRefusal(deps.db, claim, intent, nowMs)
  const secret = deps.deployment.clientSecrets.of(intent.id)
  const body = JSON.stringify(withClientSecret(renderPaymentIntent(intent), secret))
  return writeIntent(deps, claim, intent, { status: 201, body, shouldRetry: null, secret }, nowMs)
}

/** An answer that shows a client secret, which is not stored with it. */
export interface SecretAnswer extends Omit<Answer, 'replayed'> {
  readonly secret: string
}

/**
 * Writes a drafted intent with the answer to its request, once for its key.
 *
 * @param alongside an insert of what is made with the intent, for each row of `p`
 */
export async function writeIntent(
  deps: CreateDeps,
  claim: KeyClaim,
  intent: Intent<'requires_payment_method'>,
  { secret, ...answer }: SecretAnswer,
  nowMs: number,
  alongside: Parameters<typeof insertIntent>[5] = null,
): Promise<Answer> {
  const refuse = (refusal: Refusal) => settleRefusal(deps.db, claim, refusal, nowMs)
  const stored = withoutSecret(answer, secret)
  for (let tries = 0; tries < CLAIM_TRIES_MAX; tries += 1) {
    const { kind } =
      intent.customerId === null && alongside === null
        ? await deps.writes.together(intentInsertions, { claim, intent, answer: stored, nowMs })
        : await deps.writes.alone(claim.merchantId, () =>
            insertIntent(deps.db.writer, claim, intent, stored, nowMs, alongside),
          )
    if (kind === 'inserted') {
      deps.fault('create.committed')
      return { ...answer, replayed: false }
    }
    if (kind === 'client_disabled') throw clientDisabled()
    if (kind === 'customer_missing') return refuse(noSuchCustomer())
    if (kind === 'customer_erased') return refuse(customerErased())
    const used = await findUsedKey(deps.db.reader, claim, nowMs)
    if (used?.kind === 'answered') return used.answer
  }
  throw new Error('an idempotency key kept vanishing')
}

/** A new intent, not yet written, or why there can be none. */
export function draftIntent(
  { rails, deployment }: CreateDeps,
  { merchantId }: KeyClaim,
  wanted: CreateIntent,
  nowMs: number,
): Intent<'requires_payment_method'> | Refusal {
  const unknown = unknownRail(rails, wanted.paymentMethodTypes)
  if (unknown !== null) return unknown
  const customerId = wanted.customer === null ? null : parseId('cus', wanted.customer)
  if (wanted.customer !== null && customerId === null) return noSuchCustomer()
  return freshIntent(
    {
      merchantId,
      amountMinor: wanted.amountMinor,
      currency: wanted.currency,
      paymentMethodTypes: [...new Set(wanted.paymentMethodTypes)] as RailCode[],
      customerId,
      description: wanted.description,
      metadata: wanted.metadata,
      livemode: deployment.livemode,
      invoiceId: null,
    },
    nowMs,
  )
}

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

/** An intent that waits for a payment method, with an id of its own. */
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

/** Spec 2.4: each a rail that the deployment enabled. */
export function unknownRail(rails: Rails, codes: readonly string[]): Refusal | null {
  const unknown = codes.findIndex((code) => !rails.has(code as RailCode))
  if (unknown < 0) return null
  const param = `payment_method_types[${unknown}]`
  return new Refusal('invalid_request', 'must be a rail that this deployment enables', { param })
}

// Spec 4.3.5: a foreign customer and a missing one are the same 400.
export const noSuchCustomer = () => new Refusal('invalid_request', 'No such customer.', { param: 'customer' })

export const customerErased = () =>
  new Refusal('customer_erased', 'This customer was erased and cannot be used.', { param: 'customer' })
