import { type Currency, Refusal, type UiMode } from '@merchant-payments/contract'
import { type Answer, type KeyClaim, okAnswer } from '../commit/key.ts'
import { answerOnce } from '../commit/answer-once.ts'
import { settleRefusal } from '../commit/answers.ts'
import { getById } from '../reads/get-by-id.ts'
import { type CreateDeps, createShowing, draftIntent, type SecretAnswer } from '../payment-intents/create.ts'
import type { Intent } from '../payment-intents/intent.ts'
import { noIntentOfBody } from '../payment-intents/refusals.ts'
import type { Locale } from '../rails/port.ts'
import { withoutSecret } from '../base/secrets.ts'
import { type Draft, draftSession, sessionFor } from './draft.ts'
import { judgeAdoption } from './judge-adoption.ts'
import { renderSession, withSessionSecret, withUrl } from './render.ts'
import type { Session } from './session.ts'
import { newSessions } from './insertions.ts'
import { adoptIntent, findAdoptable } from './store.ts'

export interface CreateSession {
  /** Null to create an intent from the fields below. */
  readonly paymentIntent: string | null
  readonly amountMinor: number | null
  readonly currency: Currency | null
  readonly paymentMethodTypes: readonly string[] | null
  readonly description: string | null
  readonly customer: string | null
  readonly uiMode: UiMode
  readonly successUrl: string | null
  readonly cancelUrl: string | null
  readonly returnUrl: string | null
  readonly clientReferenceId: string | null
  readonly expiresAtSec: number | null
  readonly locale: Locale | null
  readonly metadata: Readonly<Record<string, string>>
}

/** Spec 2.5. Writes no event. */
export async function createSession(
  deps: CreateDeps,
  claim: KeyClaim,
  wanted: CreateSession,
): Promise<Answer> {
  const nowMs = deps.clock()
  // Validates the intent first: a refusal must name the first faulty parameter in the contract's order.
  const intent = wanted.paymentIntent === null ? intentOfSession(deps, claim, wanted, nowMs) : null
  if (intent instanceof Refusal) return settleRefusal(deps.db, claim, intent, nowMs)
  const draft = draftSession(deps.deployment, claim, wanted, nowMs)
  if (draft instanceof Refusal) return settleRefusal(deps.db, claim, draft, nowMs)
  if (intent === null) return adopt(deps, claim, wanted, draft)
  const session = sessionFor(draft, intent)
  return createShowing(
    deps,
    newSessions,
    { claim, intent, session, nowMs },
    answerOf(deps, claim, session, nowMs),
  )
}

function answerOf(
  { deployment }: CreateDeps,
  claim: KeyClaim,
  session: Session<'open'>,
  nowMs: number,
): SecretAnswer {
  const wire = withUrl(renderSession(session), session, deployment, nowMs)
  const answer = okAnswer(claim, withSessionSecret(wire, session, deployment))
  return { ...answer, secret: deployment.clientSecrets.of(session.id) }
}

/** The intent gets the metadata too, because its success is the event that the merchant receives. */
function intentOfSession(
  deps: CreateDeps,
  claim: KeyClaim,
  wanted: CreateSession,
  nowMs: number,
): Intent<'requires_payment_method'> | Refusal {
  const { amountMinor, currency, paymentMethodTypes } = wanted
  if (amountMinor === null) return isRequired('amount')
  if (currency === null) return isRequired('currency')
  if (paymentMethodTypes === null) return isRequired('payment_method_types')
  return draftIntent(deps, claim, { ...wanted, amountMinor, currency, paymentMethodTypes }, nowMs)
}

const getAdoptable = getById('pi', findAdoptable, noIntentOfBody)

async function adopt(
  deps: CreateDeps,
  claim: KeyClaim,
  wanted: CreateSession,
  draft: Draft,
): Promise<Answer> {
  const idText = wanted.paymentIntent ?? ''
  // One turn for all attempts. A request that holds the intent must not wait for the turn of one that waits for it.
  const answered = await deps.writes.alone(claim.merchantId, () =>
    answerOnce(deps, claim, {
      table: 'payment_intents',
      idText,
      read: (db) => getAdoptable(db, claim, idText),
      write: async ({ writer }, found, nowMs) => {
        const refusal = judgeAdoption(deps.rails, found, wanted)
        if (refusal !== null) throw refusal
        const session = sessionFor(draft, found.intent)
        const { secret, ...answer } = answerOf(deps, claim, session, nowMs)
        const stored = withoutSecret(answer, secret)
        return (await adoptIntent(writer, claim, found.intent, session, stored, nowMs)) ? answer : null
      },
    }),
  )
  if (!answered.replayed) deps.fault('create.committed')
  return answered
}

const isRequired = (param: string) => new Refusal('invalid_request', 'is required', { param })
