import { Refusal } from '@merchant-payments/contract'
import type { Deps } from '../deps.ts'
import { settleRefusal } from '../commit/answers.ts'
import { createOnce, noCustomerOfBody } from '../commit/create-once.ts'
import type { CreationResult } from '../commit/creates.ts'
import { type Answer, type KeyClaim, type NewAnswer, okAnswer } from '../commit/key.ts'
import type { SharedWrite } from '../commit/writes.ts'
import { parseId } from '../base/ids.ts'
import type { RailCode } from '../rails/port.ts'
import { withoutSecret } from '../base/secrets.ts'
import { freshIntent, type Intent } from './intent.ts'
import { unknownRail } from './refusals.ts'
import { renderPaymentIntent, withClientSecret } from './render.ts'
import { type NewIntent, newIntents } from './insertions.ts'

interface CreateIntent {
  readonly amountMinor: number
  readonly currency: Intent['currency']
  readonly paymentMethodTypes: readonly string[]
  readonly customer: string | null
  readonly description: string | null
  readonly metadata: Readonly<Record<string, string>>
}

export type CreateDeps = Pick<Deps, 'db' | 'writes' | 'rails' | 'clock' | 'deployment' | 'fault'>

/** Spec 4.3: one round trip. Writes no event (spec 3.1.4). */
export async function createIntent(deps: CreateDeps, claim: KeyClaim, wanted: CreateIntent): Promise<Answer> {
  const nowMs = deps.clock()
  const intent = draftIntent(deps, claim, wanted, nowMs)
  if (intent instanceof Refusal) return settleRefusal(deps.db, claim, intent, nowMs)
  const secret = deps.deployment.clientSecrets.of(intent.id)
  const shown = { ...okAnswer(claim, withClientSecret(renderPaymentIntent(intent), secret)), secret }
  return createShowing(deps, newIntents, { claim, intent, nowMs }, shown)
}

export interface SecretAnswer extends NewAnswer {
  readonly secret: string
}

export async function createShowing<Item extends NewIntent>(
  deps: CreateDeps,
  kind: SharedWrite<Item, CreationResult>,
  item: Omit<Item, 'answer'>,
  { secret, ...shown }: SecretAnswer,
): Promise<Answer> {
  const answer = withoutSecret(shown, secret)
  const written = await createOnce(deps, kind, { ...item, answer } as Item)
  if (written.replayed) return written
  deps.fault('create.committed')
  return { ...shown, replayed: false }
}

export function draftIntent(
  { rails, deployment }: CreateDeps,
  { merchantId }: KeyClaim,
  wanted: CreateIntent,
  nowMs: number,
): Intent<'requires_payment_method'> | Refusal {
  const unknown = unknownRail(rails, wanted.paymentMethodTypes)
  if (unknown !== null) return unknown
  const customerId = wanted.customer === null ? null : parseId('cus', wanted.customer)
  if (wanted.customer !== null && customerId === null) return noCustomerOfBody()
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
