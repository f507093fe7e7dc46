import { transitions } from './transitions.ts'
import { openCharge } from './opening-store.ts'
import { Refusal } from '@merchant-payments/contract'
import type { Charge } from '../charges/charge.ts'
import { planAnswer } from './plan-charge.ts'
import type { NewCharge } from './opening.ts'
import { findCharge, findChargeOf, reloadCharges } from '../charges/store.ts'
import type { Deps } from '../deps.ts'
import { clientDisabled } from '../base/client-status.ts'
import type { HeldKeyEffect } from '../commit/key-effects.ts'
import { type Answer, type KeyClaim, okAnswer, refusalAnswer } from '../commit/key.ts'
import {
  findUsedKey,
  finishKey,
  keyInFlight,
  orRelease,
  settleRefusal,
  type UsedKey,
} from '../commit/answers.ts'
import { type CheckoutSessionId, mintId, parseId, type PaymentIntentId } from '../base/ids.ts'
import { writeSkipped } from '../commit/write-raised.ts'
import { callbackUrlOf } from '../rails/addresses.ts'
import { firstQueryAt, keyHeldUntil, sendDeadlineOf, submitDeadlineOf } from '../rails/deadlines.ts'
import { collectRaised } from '../base/raised.ts'
import { alertIfRefusedAsOurs } from '../rails/misconfigured.ts'
import type { SubmitOutcome } from '../rails/port.ts'
import { chargeInProgress, noSuchIntent } from './refusals.ts'
import { type ConfirmParams, type Instrument, parseInstrument } from './instrument.ts'
import type { Intent } from './intent.ts'
import { judgeOpening } from './judge-opening.ts'
import { renderPaymentIntent } from './render.ts'
import { findIntent } from './store.ts'

export type ConfirmDeps = Pick<Deps, 'db' | 'writes' | 'rails' | 'clock' | 'deployment' | 'fault' | 'alert'>

const RACES_MAX = 4

interface Confirmer {
  readonly session: CheckoutSessionId | null
  readonly render: (intent: Intent, charge: Charge | null) => object
}

const byMerchant: Confirmer = { session: null, render: renderPaymentIntent }

interface Attempt {
  readonly claim: KeyClaim
  readonly intentId: PaymentIntentId
  readonly params: ConfirmParams
  readonly instrument: Instrument
  readonly confirmer: Confirmer
  readonly nowMs: number
}

/** Only this request may send the charge. */
interface Opened {
  readonly charge: Charge<'submitting'>
  readonly intent: Intent
  readonly fence: number
}

/**
 * Spec 3.1: commits a charge as submitting, submits it to the rail outside any transaction, then commits the
 * answer. If the process dies between two of these steps, the worker resolves the charge by querying the rail.
 *
 * @throws Refusal provider_unavailable; the key is released, and the same request may run again
 */
export async function confirmIntent(
  deps: ConfirmDeps,
  claim: KeyClaim,
  idText: string,
  params: ConfirmParams,
  confirmer = byMerchant,
): Promise<Answer> {
  const nowMs = deps.clock()
  const intentId = parseId('pi', idText)
  const instrument = parseInstrument(deps, params)
  if (instrument instanceof Refusal) return settleRefusal(deps.db, claim, instrument, nowMs)
  if (intentId === null) return settleRefusal(deps.db, claim, noSuchIntent(), nowMs)
  const attempt = { claim, intentId, params, instrument, confirmer, nowMs }
  const opened = await open(deps, attempt)
  if ('status' in opened) return opened
  const answer = await orRelease(deps.db.writer, claim, opened.fence, () =>
    submitAndRecord(deps, attempt, opened),
  )
  if (answer === null) throw providerUnavailable()
  return answer
}

async function submitAndRecord(deps: ConfirmDeps, attempt: Attempt, opened: Opened): Promise<Answer | null> {
  deps.fault('confirm.charge_committed')
  const outcome = await submit(deps, attempt, opened)
  deps.fault('confirm.rail_answered')
  const answer = await recordAnswer(deps, attempt, opened, outcome)
  deps.fault('confirm.answer_committed')
  return answer
}

async function open(
  deps: ConfirmDeps,
  attempt: Attempt,
  released: number | null = null,
): Promise<Opened | Answer> {
  const { claim, intentId, instrument, nowMs } = attempt
  const charge = newCharge(attempt)
  const hold = { untilMs: keyHeldUntil(submitDeadlineOf(instrument.rail, nowMs)), released }
  const opening = await openCharge(deps.writes, deps.db.writer, { claim, intentId, charge, hold })
  if (!opening.clientOpen) throw clientDisabled()
  const { intent, fence } = opening
  if (intent !== undefined && fence !== null) {
    if (opening.charge !== undefined) return { charge: opening.charge, intent, fence }
    return finishRefused(deps, claim, fence, chargeInProgress(), nowMs)
  }
  const used = await findUsedKey(deps.db.reader, claim, nowMs)
  if (used?.kind === 'answered') return used.answer
  if (used !== undefined && released === null) return reopen(deps, attempt, used)
  // Another re-execution was first and was released too. The client may send the request once more.
  if (used !== undefined && used.fence !== released) throw keyInFlight()
  if (used !== undefined && intent?.status === 'succeeded') {
    // docs/spec-gaps.md: a 5xx asked for this repetition, so the answer must not ask for another intent.
    return finish(deps, attempt, { intent, fence: used.fence }, nowMs)
  }
  const refusal = await judgeOpening(deps.db.reader, intent, charge, claim.scope)
  if (used === undefined) return settleRefusal(deps.db, claim, refusal, nowMs)
  return finishRefused(deps, claim, used.fence, refusal, nowMs)
}

/** Continues a request whose key a 5xx or a death released, with the charge to which the key is linked. */
async function reopen(
  deps: ConfirmDeps,
  attempt: Attempt,
  { resourceUuid, fence }: UsedKey & { kind: 'released' },
): Promise<Opened | Answer> {
  const { claim, intentId, nowMs } = attempt
  const { merchantId } = claim
  const linked =
    resourceUuid === null ? undefined : await findCharge(deps.db.reader, merchantId, resourceUuid)
  switch (linked?.status) {
    case undefined:
    case 'abandoned':
      return open(deps, attempt, fence)
    case 'submitting':
    case 'unconfirmed':
    case 'live':
      // docs/spec-gaps.md: stored under no key, so that the same request learns the outcome later.
      throw chargeInProgress()
    case 'succeeded':
    case 'duplicate':
    case 'failed': {
      // docs/spec-gaps.md: this request opened the charge, so the answer is 200 with the intent as it has become.
      const { open: clientOpen, found: intent } = await findIntent(deps.db.reader, merchantId, intentId)
      if (!clientOpen) throw clientDisabled()
      if (intent === undefined) throw noSuchIntent()
      return finish(deps, attempt, { intent, fence }, nowMs)
    }
  }
}

async function submit(
  deps: ConfirmDeps,
  { params, instrument }: Attempt,
  { charge }: Opened,
): Promise<SubmitOutcome> {
  const { rail } = instrument
  return rail.submitCharge({
    reference: charge.reference,
    merchantId: charge.merchantId,
    object: charge.intentId,
    amountMinor: charge.amountMinor,
    currency: charge.currency,
    payer: instrument.payer,
    locale: params.locale,
    callbackUrl: callbackUrlOf(deps.deployment.callbackBaseUrl, rail, charge.reference),
    returnUrl: instrument.returnUrl,
    deadlineMs: sendDeadlineOf(charge.openedAtMs),
  })
}

/**
 * The second commit: compare-and-set on the charge, the intent and the key's fencing number.
 * @returns null if the rail gave no answer; the key is released then
 */
async function recordAnswer(
  deps: ConfirmDeps,
  attempt: Attempt,
  opened: Opened,
  outcome: SubmitOutcome,
): Promise<Answer | null> {
  const { claim, instrument, confirmer } = attempt
  let { intent, charge: submitting } = opened
  const { raise, raised } = collectRaised(deps.alert, submitting.merchantId)
  alertIfRefusedAsOurs(raise, outcome, { rail: submitting.rail, charge: submitting.id })
  let isWritten = false
  try {
    for (let races = 0; races < RACES_MAX; races += 1) {
      const nowMs = deps.clock()
      const plan = planAnswer(submitting, intent, outcome, instrument, nowMs)
      const shown = confirmer.render(plan.intentAfter, plan.transition.charge?.after ?? null)
      const answer = okAnswer(claim, shown)
      const effect: HeldKeyEffect = plan.answered
        ? { kind: 'finish', claim, fence: opened.fence, answer }
        : { kind: 'release', claim, fence: opened.fence }
      // The rail's answer must be written even if this request stalled and lost its key. The last try writes without
      // the key, and finishes the key afterwards.
      const last = races === RACES_MAX - 1
      const key = last ? null : effect
      isWritten = await deps.writes.together(transitions, {
        transition: { ...plan.transition, key, raised },
        nowMs,
      })
      if (isWritten) {
        if (last && !plan.answered) throw providerUnavailable()
        if (!plan.answered) return null
        if (last) return await finishKey(deps.db, claim, opened.fence, answer, nowMs)
        return { ...answer, replayed: false }
      }
      const fresh = await findIntent(deps.db.reader, claim.merchantId, attempt.intentId)
      const [charge] = await reloadCharges(deps.db.reader, [opened.charge])
      if (fresh.found === undefined || charge === undefined)
        throw new Error('a charge or its intent vanished')
      intent = fresh.found
      // What another process wrote stands. An abandoned charge's page is never shown: the next confirm opens
      // another.
      if (charge.status === 'abandoned') throw providerUnavailable()
      if (charge.status !== 'submitting')
        return await finish(deps, attempt, { intent, fence: opened.fence }, nowMs)
      submitting = charge
    }
    throw providerUnavailable()
  } finally {
    if (!isWritten) await writeSkipped(deps.db.writer, raised, deps.clock())
  }
}

async function finish(
  { db }: ConfirmDeps,
  { claim, confirmer }: Attempt,
  { intent, fence }: { intent: Intent; fence: number },
  nowMs: number,
): Promise<Answer> {
  const charge = await findChargeOf(db.reader, intent, intent.status === 'succeeded' ? 'paid' : 'live')
  return finishKey(db, claim, fence, okAnswer(claim, confirmer.render(intent, charge)), nowMs)
}

async function finishRefused(
  { db }: ConfirmDeps,
  claim: KeyClaim,
  fence: number,
  refusal: Refusal,
  nowMs: number,
): Promise<Answer> {
  const answer = await orRelease(db.writer, claim, fence, () =>
    finishKey(db, claim, fence, refusalAnswer(refusal), nowMs),
  )
  if (answer.replayed) return answer
  throw refusal
}

function newCharge({ params, instrument, confirmer, nowMs }: Attempt): NewCharge {
  const { rail, payer } = instrument
  const submitDeadlineMs = submitDeadlineOf(rail, nowMs)
  return {
    id: mintId('ch', nowMs),
    reference: rail.mintReference(),
    rail: rail.code,
    settlementCurrency: rail.capabilities.settlementCurrency,
    payer,
    namedCustomer: params.customer === null ? null : parseId('cus', params.customer),
    session: confirmer.session,
    openedAtMs: nowMs,
    submitDeadlineMs,
    firstQueryAtMs: firstQueryAt(submitDeadlineMs),
  }
}

const providerUnavailable = () =>
  new Refusal(
    'provider_unavailable',
    'The rail could not be reached or did not answer. Poll the payment intent, or retry.',
  )
