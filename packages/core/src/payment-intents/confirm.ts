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
import { type Answer, type KeyClaim, type NewAnswer, okAnswer, refusalAnswer } from '../commit/key.ts'
import {
  findUsedKey,
  finishKey,
  keyInFlight,
  orRelease,
  settleRefusal,
  type UsedKey,
} from '../commit/answers.ts'
import { type CheckoutSessionId, mintId, parseId, type PaymentIntentId } from '../base/ids.ts'
import { RACES_MAX } from '../commit/until-written.ts'
import { writeSkipped } from '../commit/write-raised.ts'
import { callbackUrlOf } from '../rails/addresses.ts'
import { firstQueryAt, keyHeldUntil, sendDeadlineOf, submitDeadlineOf } from '../rails/deadlines.ts'
import { collectRaised, type RaisedAlerts } from '../base/raised.ts'
import { alertIfRefusedAsOurs } from '../rails/misconfigured.ts'
import type { SubmitOutcome } from '../rails/port.ts'
import { chargeInProgress, noSuchIntent } from './refusals.ts'
import { type ConfirmParams, type Instrument, parseInstrument } from './instrument.ts'
import type { Intent } from './intent.ts'
import { judgeOpening } from './judge-opening.ts'
import { renderPaymentIntent } from './render.ts'
import { findIntent } from './store.ts'

export type ConfirmDeps = Pick<Deps, 'db' | 'writes' | 'rails' | 'clock' | 'deployment' | 'fault' | 'alert'>

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
  const recorded = await record(deps, attempt, opened, outcome)
  const answer = await answerTo(deps, attempt, opened.fence, recorded)
  deps.fault('confirm.answer_committed')
  return answer
}

/**
 * docs/spec-gaps.md: a key that a 5xx or a death released is linked to the charge that its request opened, if any.
 *
 * - new key: opens a charge, or refuses
 * - held key: refuses, in flight
 * - answered key: the stored answer
 * - released key, no charge or an abandoned one: as a new key, but a success meanwhile is answered with the intent
 * - released key, open charge: `charge_in_progress`, stored under no key, so that the same request learns the outcome later
 * - released key, charge that was paid or failed: the intent as it has become
 */
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
    // A 5xx asked for this repetition, so the answer must not ask for another intent.
    return finish(deps, attempt, { intent, fence: used.fence }, nowMs)
  }
  const refusal = await judgeOpening(deps.db.reader, intent, charge, claim.scope)
  if (used === undefined) return settleRefusal(deps.db, claim, refusal, nowMs)
  return finishRefused(deps, claim, used.fence, refusal, nowMs)
}

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
      throw chargeInProgress()
    case 'succeeded':
    case 'duplicate':
    case 'failed': {
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

interface Submitted extends Opened {
  readonly outcome: SubmitOutcome
  readonly raised: RaisedAlerts['raised']
}

type Recorded =
  /** `answer` is null if the rail gave none. */
  | { readonly kind: 'written'; readonly answer: NewAnswer | null; readonly withKey: boolean }
  /** What another process has made of the charge stands. */
  | { readonly kind: 'overtaken'; readonly charge: Charge; readonly intent: Intent }

/** The second commit: compare-and-set on the charge, the intent and the key's fencing number. */
async function record(
  deps: ConfirmDeps,
  attempt: Attempt,
  opened: Opened,
  outcome: SubmitOutcome,
): Promise<Recorded> {
  const { merchantId, rail, id } = opened.charge
  const { raise, raised } = collectRaised(deps.alert, merchantId)
  alertIfRefusedAsOurs(raise, outcome, { rail, charge: id })
  let end: Recorded | undefined
  try {
    end = await write(deps, attempt, { ...opened, outcome, raised })
    return end
  } finally {
    if (end?.kind !== 'written') await writeSkipped(deps.db.writer, raised, deps.clock())
  }
}

/** The rail's answer must be written even if this request stalled and lost its key. So the last try leaves the key out. */
async function write(
  deps: ConfirmDeps,
  attempt: Attempt,
  submitted: Submitted,
  triesLeft = RACES_MAX,
): Promise<Recorded> {
  const withKey = triesLeft > 1
  const answer = await writeOnce(deps, attempt, submitted, withKey)
  if (answer !== 'raced') return { kind: 'written', answer, withKey }
  const { charge, intent } = await reread(deps, submitted)
  if (charge.status !== 'submitting' || triesLeft === 1) return { kind: 'overtaken', charge, intent }
  return write(deps, attempt, { ...submitted, charge, intent }, triesLeft - 1)
}

async function writeOnce(
  { writes, clock }: ConfirmDeps,
  { claim, instrument, confirmer }: Attempt,
  { charge, intent, fence, outcome, raised }: Submitted,
  withKey: boolean,
): Promise<NewAnswer | null | 'raced'> {
  const nowMs = clock()
  const plan = planAnswer(charge, intent, outcome, instrument, nowMs)
  const shown = confirmer.render(plan.intentAfter, plan.transition.charge?.after ?? null)
  const answer = plan.answered ? okAnswer(claim, shown) : null
  const effect: HeldKeyEffect =
    answer === null ? { kind: 'release', claim, fence } : { kind: 'finish', claim, fence, answer }
  const transition = { ...plan.transition, key: withKey ? effect : null, raised }
  return (await writes.together(transitions, { transition, nowMs })) ? answer : 'raced'
}

async function reread({ db }: ConfirmDeps, { charge, intent }: Opened) {
  const { found } = await findIntent(db.reader, intent.merchantId, intent.id)
  const [again] = await reloadCharges(db.reader, [charge])
  if (found === undefined || again === undefined) throw new Error('a charge or its intent vanished')
  return { charge: again, intent: found }
}

/** @returns null if the rail gave no answer; the key is released then */
async function answerTo(
  deps: ConfirmDeps,
  attempt: Attempt,
  fence: number,
  end: Recorded,
): Promise<Answer | null> {
  const nowMs = deps.clock()
  if (end.kind === 'overtaken') {
    // An abandoned charge's page is never shown: the next confirm opens another.
    if (end.charge.status === 'submitting' || end.charge.status === 'abandoned') throw providerUnavailable()
    return finish(deps, attempt, { intent: end.intent, fence }, nowMs)
  }
  const { answer, withKey } = end
  if (withKey) return answer && { ...answer, replayed: false }
  if (answer === null) throw providerUnavailable()
  return finishKey(deps.db, attempt.claim, fence, answer, nowMs)
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
