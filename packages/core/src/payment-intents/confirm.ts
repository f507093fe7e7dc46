import { Refusal } from '@merchant-payments/contract'
import type { Charge } from '../charges/charge.ts'
import { planAnswer } from '../charges/plan.ts'
import {
  findCharge,
  lockIntent,
  type NewCharge,
  openCharge,
  openFurtherCharge,
  reloadCharges,
  retakeKey,
} from '../charges/store.ts'
import type { Deps } from '../deps.ts'
import { clientDisabled } from '../door.ts'
import type { Answer, KeyClaim } from '../idempotency/key.ts'
import { findUsedKey, settleRefusal, type UsedKey } from '../idempotency/store.ts'
import { mintId, parseId, type PaymentIntentId } from '../ids.ts'
import type { Locale, RailAdapter, SubmitOutcome } from '../rails/port.ts'
import { type KeyEffect, writeTransitions } from '../transitions.ts'
import { chargeInProgress, chargeTerminal, intentCanceled, noSuchIntent } from './cancel.ts'
import { type ConfirmParams, type Instrument, parseInstrument } from './instrument.ts'
import type { Intent } from './intent.ts'
import { judgeOpening } from './judge-opening.ts'
import { renderPaymentIntent } from './render.ts'
import { findIntent } from './store.ts'

export type ConfirmDeps = Pick<Deps, 'db' | 'rails' | 'clock' | 'deployment' | 'fault' | 'alert'>

/** Between the charge's commit and its sending: a process that stalls longer does not send at all. */
const SEND_WITHIN_MS = 5_000
/** The key is held just past the rail's longest deadline. */
const HOLD_MARGIN_MS = 5_000
/** The worker first asks for a charge whose submit never answered a little after its deadline. */
const FIRST_QUERY_MARGIN_MS = 1_000
const RACES_MAX = 4

/** One confirm under way. */
interface Attempt {
  readonly claim: KeyClaim
  readonly intentId: PaymentIntentId
  readonly params: ConfirmParams
  readonly instrument: Instrument
  readonly nowMs: number
}

/** A charge committed as submitting, which this request alone may send. */
interface Opened {
  readonly charge: Charge<'submitting'>
  readonly intent: Intent
  readonly fence: number
}

/**
 * Spec 3.1: commits a charge as submitting, submits it to the rail outside any transaction, commits the answer. A
 * process killed between any two of these leaves a charge that the worker resolves by asking the rail.
 *
 * @throws Refusal provider_unavailable, after which the key is released and the same request may run again
 */
export async function confirmIntent(
  deps: ConfirmDeps,
  claim: KeyClaim,
  idText: string,
  params: ConfirmParams,
): Promise<Answer> {
  const nowMs = deps.clock()
  const intentId = parseId('pi', idText)
  const instrument = parseInstrument(deps, params)
  if (intentId === null) return settleRefusal(deps.db, claim, noSuchIntent(), nowMs)
  if (instrument instanceof Refusal) return settleRefusal(deps.db, claim, instrument, nowMs)
  const attempt = { claim, intentId, params, instrument, nowMs }
  const opened = await open(deps, attempt)
  if ('status' in opened) return opened
  deps.fault('confirm.charge_committed')
  const outcome = await submit(deps, attempt, opened)
  deps.fault('confirm.rail_answered')
  const answer = await recordAnswer(deps, attempt, opened, outcome)
  deps.fault('confirm.answer_committed')
  return answer
}

async function open(deps: ConfirmDeps, attempt: Attempt): Promise<Opened | Answer> {
  const { claim, intentId, instrument, nowMs } = attempt
  const charge = newCharge(attempt)
  const opening = await openCharge(deps.db.writer, claim, intentId, charge, heldUntil(instrument.rail, nowMs))
  if (!opening.clientOpen) throw clientDisabled()
  const { intent, fence } = opening
  if (intent !== undefined && fence !== null) {
    if (opening.charge !== undefined) return { charge: opening.charge, intent, fence }
    // Claimed, and then a live charge of the intent stood in the way.
    return finishRefused(deps, claim, intent, fence, chargeInProgress(), nowMs)
  }
  const used = await findUsedKey(deps.db.reader, claim, nowMs)
  if (used?.kind === 'answered') return used.answer
  if (used?.kind === 'released') return reopen(deps, attempt, used)
  return settleRefusal(deps.db, claim, await judgeOpening(deps.db.reader, intent, charge), nowMs)
}

/** A re-execution of a request whose key a 5xx or a death released: it continues the charge that the key is linked to. */
async function reopen(
  deps: ConfirmDeps,
  attempt: Attempt,
  used: UsedKey & { kind: 'released' },
): Promise<Opened | Answer> {
  const { claim, intentId, instrument, nowMs } = attempt
  const reopened = await deps.db.transact(async (tx): Promise<Opened | ReopenRefused> => {
    const intent = await lockIntent(tx, claim.merchantId, intentId)
    const fence = await retakeKey(tx, claim, used.fence, heldUntil(instrument.rail, nowMs))
    if (fence === null)
      throw new Refusal('idempotency_key_in_flight', 'The request is already running again.')
    if (intent === undefined) return { refusal: noSuchIntent(), intent, fence }
    const linked =
      used.resourceUuid === null ? undefined : await findCharge(tx, claim.merchantId, used.resourceUuid)
    if (linked?.status === 'failed') return { refusal: null, intent, fence }
    if (linked?.status === 'succeeded' || linked?.status === 'duplicate')
      return { refusal: chargeTerminal(), intent, fence }
    if (linked !== undefined && linked.status !== 'abandoned')
      return { refusal: chargeInProgress(), intent, fence }
    if (intent.status === 'canceled') return { refusal: intentCanceled(), intent, fence }
    if (intent.status === 'succeeded') return { refusal: chargeTerminal(), intent, fence }
    if (intent.status === 'processing') return { refusal: chargeInProgress(), intent, fence }
    const charge = await openFurtherCharge(tx, claim, intent, newCharge(attempt))
    return charge === undefined ? { refusal: chargeInProgress(), intent, fence } : { charge, intent, fence }
  })
  if ('charge' in reopened) return reopened
  const { refusal, intent, fence } = reopened
  if (intent === undefined) throw noSuchIntent()
  // docs/spec-gaps.md: when the linked charge has failed meanwhile, that is the answer: 200 with the intent.
  return refusal === null
    ? finish(deps, claim, intent, fence, nowMs)
    : finishRefused(deps, claim, intent, fence, refusal, nowMs)
}

interface ReopenRefused {
  readonly refusal: Refusal | null
  readonly intent: Intent | undefined
  readonly fence: number
}

async function submit(
  deps: ConfirmDeps,
  { params, instrument }: Attempt,
  { charge }: Opened,
): Promise<SubmitOutcome> {
  const { rail } = instrument
  const outcome = await rail.submitCharge({
    reference: charge.reference,
    amountMinor: charge.amountMinor,
    currency: charge.currency,
    payer: instrument.payer,
    locale: params.locale ?? ('fr' satisfies Locale),
    callbackUrl: rail.callbacks
      ? `${deps.deployment.publicBaseUrl}/provider/${rail.code}/callback?ref=${charge.reference}`
      : null,
    returnUrl: instrument.returnUrl,
    deadlineMs: charge.openedAtMs + SEND_WITHIN_MS,
  })
  if (outcome.kind === 'declined' && outcome.decline.actor === 'merchant_config') {
    deps.alert('rail_misconfigured', {
      rail: rail.code,
      charge: charge.id,
      rail_code: outcome.decline.railCode,
    })
  }
  return outcome
}

/** The second commit: compare-and-set on the charge, the intent and the key's fencing number. */
async function recordAnswer(
  deps: ConfirmDeps,
  attempt: Attempt,
  opened: Opened,
  outcome: SubmitOutcome,
): Promise<Answer> {
  const { claim, instrument } = attempt
  let { intent }: { intent: Intent } = opened
  for (let races = 0; races < RACES_MAX; races += 1) {
    const nowMs = deps.clock()
    const plan = planAnswer(opened.charge, intent, outcome, instrument, nowMs)
    const body = JSON.stringify(renderPaymentIntent(plan.intentAfter))
    const answer = { status: 200, body, shouldRetry: null }
    const effect: KeyEffect = plan.answered
      ? { kind: 'finish', claim, fence: opened.fence, answer }
      : { kind: 'release', claim, fence: opened.fence }
    // A key lost to a stall must not take what the rail said with it: the last try goes without.
    const key = races < RACES_MAX - 1 ? effect : null
    const [written] = await writeTransitions(deps.db.writer, [{ ...plan.transition, key }], nowMs)
    if (written === true) {
      if (!plan.answered) throw providerUnavailable()
      return { ...answer, replayed: false }
    }
    const fresh = await findIntent(deps.db.reader, claim.merchantId, attempt.intentId)
    const [charge] = await reloadCharges(deps.db.reader, [opened.charge])
    if (fresh.found === undefined || charge === undefined) throw new Error('a charge or its intent vanished')
    intent = fresh.found
    // The worker was quicker, or this request lost its key: what the worker wrote stands.
    if (charge.status !== 'submitting') return finish(deps, claim, intent, opened.fence, nowMs)
  }
  throw providerUnavailable()
}

/** Ends a held key with the intent as it is; what was decided is answered also when the key was lost meanwhile. */
async function finish(
  deps: ConfirmDeps,
  claim: KeyClaim,
  intent: Intent,
  fence: number,
  nowMs: number,
): Promise<Answer> {
  const answer = { status: 200, body: JSON.stringify(renderPaymentIntent(intent)), shouldRetry: null }
  await writeTransitions(
    deps.db.writer,
    [{ intent, charge: null, key: { kind: 'finish', claim, fence, answer } }],
    nowMs,
  )
  return { ...answer, replayed: false }
}

async function finishRefused(
  deps: ConfirmDeps,
  claim: KeyClaim,
  intent: Intent,
  fence: number,
  refusal: Refusal,
  nowMs: number,
): Promise<never> {
  const { status, shouldRetry } = refusal.kind
  const answer = { status, body: JSON.stringify(refusal.toEnvelope()), shouldRetry }
  await writeTransitions(
    deps.db.writer,
    [{ intent, charge: null, key: { kind: 'finish', claim, fence, answer } }],
    nowMs,
  )
  throw refusal
}

function newCharge({ params, instrument, nowMs }: Attempt): NewCharge {
  const { rail, payer } = instrument
  const submitDeadlineMs = nowMs + SEND_WITHIN_MS + rail.submitTimeoutMs
  return {
    id: mintId('ch', nowMs),
    reference: rail.mintReference(),
    rail: rail.code,
    settlementCurrency: rail.capabilities.settlementCurrency,
    payer,
    namedCustomer: params.customer === null ? null : parseId('cus', params.customer),
    openedAtMs: nowMs,
    submitDeadlineMs,
    firstQueryAtMs: submitDeadlineMs + FIRST_QUERY_MARGIN_MS,
  }
}

const heldUntil = (rail: RailAdapter, nowMs: number) =>
  nowMs + SEND_WITHIN_MS + rail.submitTimeoutMs + HOLD_MARGIN_MS

const providerUnavailable = () =>
  new Refusal(
    'provider_unavailable',
    'The rail could not be reached or did not answer. Poll the payment intent, or retry.',
  )
