import { Refusal } from '@merchant-payments/contract'
import type { CommandDeps, Deps } from '../deps.ts'
import { clientDisabled } from '../base/client-status.ts'
import { collectRaised, type RaisedAlerts } from '../base/raised.ts'
import { newEvent } from '../commit/event.ts'
import type { KeyEffect } from '../commit/key-effects.ts'
import { untilWritten } from '../commit/until-written.ts'
import { writeSkipped } from '../commit/write-raised.ts'
import { type Answer, type KeyClaim, type NewAnswer, okAnswer } from '../commit/key.ts'
import {
  findUsedKey,
  finishKey,
  orRelease,
  releaseKey,
  settleRefusal,
  type UsedKey,
} from '../commit/answers.ts'
import { idOf } from '../base/ids.ts'
import { sendPayout } from '../payouts/calls.ts'
import { noChecks, planTry } from '../payouts/plan.ts'
import { scheduleCheck } from '../payouts/store.ts'
import { keyHeldUntil } from '../rails/deadlines.ts'
import { refundsIn } from '../rails/known.ts'
import type { RefundOutcome } from '../rails/port.ts'
import {
  type CreateRefund,
  judgePaid,
  type NewRefund,
  parseTarget,
  planRefund,
  readRefundable,
} from './new-refund.ts'
import { instructRefund, moveRefund, type Refund } from './refund.ts'
import { notSupported } from './refusals.ts'
import { renderRefund } from './render.ts'
import { findRefund, type Refundable, refundQueue } from './store.ts'
import { openRefund, writeRefund } from './transitions.ts'

type CreateRefundDeps = Pick<Deps, 'db' | 'rails' | 'clock' | 'deployment' | 'fault' | 'alert'>

interface Opened {
  readonly refund: Refund<'pending'>
  readonly fence: number
}

/**
 * Spec 4.5: commits a refund with its reservation, its event and the instruction, then instructs the rail outside
 * any transaction, then commits the rail's answer. The 201 shows the refund as first written. If the process dies
 * between two of these steps, the worker takes over the instruction.
 * @throws Refusal not_supported on a rail without refunds; the key is released, and the refund has failed
 */
export async function createRefund(
  deps: CreateRefundDeps,
  claim: KeyClaim,
  wanted: CreateRefund,
): Promise<Answer> {
  const target = parseTarget(deps, wanted)
  if (target instanceof Refusal) return settleRefusal(deps.db, claim, target, deps.clock())
  const { merchantId } = claim
  const row = { table: 'payment_intents', merchantId, idText: target.intentId } as const
  const end = await untilWritten<Refundable | undefined, Opened | UsedKey | Refusal>(deps, row, {
    read: (db) => readRefundable(db, merchantId, target.intentId),
    write: async (db, found, nowMs) => {
      const paid = judgePaid(found, target)
      const planned = paid instanceof Refusal ? paid : planRefund(paid, target, wanted, nowMs)
      if (!(planned instanceof Refusal)) {
        // A named amount is refunded beside others, as long as it is left.
        const reservedMinor = wanted.amountMinor === null ? planned.reservedMinor : null
        const fence = await commitRefund({ db }, claim, planned, { reservedMinor })
        if (fence !== null) return { refund: planned.refund, fence }
      }
      // A request that wrote its refund earlier must not be refused now, so its key is read first.
      const used = await findUsedKey(db.reader, claim, nowMs)
      return used ?? (planned instanceof Refusal ? planned : null)
    },
  })
  if (end instanceof Refusal) return settleRefusal(deps.db, claim, end, deps.clock())
  if ('refund' in end) return instruct(deps, claim, end)
  return end.kind === 'answered' ? end.answer : continueLinked(deps, claim, wanted, end)
}

/**
 * @param reservedMinor what the intent's refunds must have reserved still; null for any amount
 * @param knownSinceMs if the request itself does not name the number
 * @returns null if the key is taken, another refund was first, or the customer was erased
 */
export async function commitRefund(
  { db }: Pick<CommandDeps, 'db'>,
  claim: KeyClaim,
  { refund, dueAtMs }: Pick<NewRefund, 'refund' | 'dueAtMs'>,
  {
    reservedMinor,
    knownSinceMs = refund.openedAtMs,
  }: { readonly reservedMinor: number | null; readonly knownSinceMs?: number | undefined },
): Promise<number | null> {
  const { livemode, customerId, openedAtMs: nowMs } = refund
  const event = newEvent('charge.refunded', renderRefund(refund), { livemode, customerId, nowMs })
  const heldUntilMs = keyHeldUntil(refund.submitDeadlineMs)
  const { clientOpen, fence } = await openRefund(db.writer, claim, refund, event, {
    knownSinceMs,
    dueAtMs,
    heldUntilMs,
    reservedMinor,
  })
  if (!clientOpen) throw clientDisabled()
  return fence
}

async function instruct(deps: CreateRefundDeps, claim: KeyClaim, opened: Opened): Promise<Answer> {
  const answer = await orRelease(deps.db.writer, claim, opened.fence, () =>
    sendAndRecord(deps, claim, opened),
  )
  if (answer === null) throw notSupported()
  return answer
}

/** @returns null if the rail has no refunds; the key is released then */
async function sendAndRecord(
  deps: CreateRefundDeps,
  claim: KeyClaim,
  opened: Opened,
): Promise<Answer | null> {
  deps.fault('refund.committed')
  const refunds = refundsIn(deps.rails.get(opened.refund.rail), opened.refund.currency)
  if (refunds === null) {
    await failUnsupported(deps, claim, opened)
    return null
  }
  const { raise, raised } = collectRaised(deps.alert, claim.merchantId)
  const outcome = await sendPayout({ raise }, refunds, opened.refund, opened.refund.openedAtMs)
  deps.fault('refund.rail_answered')
  const answer = await recordAnswer(deps, claim, opened, { outcome, raised })
  deps.fault('refund.answer_committed')
  return answer
}

interface Sent {
  readonly outcome: RefundOutcome
  readonly raised: RaisedAlerts['raised']
}

async function recordAnswer(
  deps: CreateRefundDeps,
  claim: KeyClaim,
  opened: Opened,
  sent: Sent,
): Promise<Answer> {
  const answer = answerOf(claim, opened.refund)
  const nowMs = deps.clock()
  const writeAlone = () => writeSkipped(deps.db.writer, sent.raised, nowMs)
  const written = await writeOutcome(deps, { kind: 'finish', claim, fence: opened.fence, answer }, opened, {
    ...sent,
    nowMs,
  }).catch(async (error: unknown) => {
    await writeAlone()
    throw error
  })
  if (written === 'nothing') await writeAlone()
  if (written === 'with_answer') return { ...answer, replayed: false }
  return finishKey(deps.db, claim, opened.fence, answer, nowMs)
}

/** The second commit: compare-and-set on the refund and the key's fencing number. */
async function writeOutcome(
  { db, clock }: Pick<CreateRefundDeps, 'db' | 'clock'>,
  finish: KeyEffect,
  { refund }: Opened,
  { outcome, raised, nowMs }: Sent & { readonly nowMs: number },
): Promise<'with_answer' | 'without_answer' | 'nothing'> {
  const { move, job } = planTry(noChecks, outcome, 'none', nowMs)
  if (move === null) {
    await scheduleCheck(db.writer, refundQueue, { payout: refund, leaseUntilMs: null }, job, {
      raised,
      nowMs,
    })
    return 'without_answer'
  }
  const change = instructRefund(refund, move, nowMs)
  if (await writeRefund(db.writer, change, finish, { job, raised }, nowMs)) return 'with_answer'
  // The metadata changed, the worker took over, or the key was lost. Writes the rail's answer without the key.
  const { found } = await findRefund(db.reader, refund.merchantId, refund.id)
  if (found?.status !== 'pending' || found.instruction !== 'sent') return 'nothing'
  // A failure is not earlier than the change of the metadata that it follows.
  const lateMs = clock()
  const earlier = found.submitDeadlineMs === refund.submitDeadlineMs ? 'none' : 'recent'
  const late = planTry(noChecks, outcome, earlier, lateMs)
  if (late.move === null) return 'nothing'
  // The worker decides when it checks the refund next.
  const effect = { job: late.job.kind === 'end' ? late.job : ({ kind: 'keep' } as const), raised }
  const written = await writeRefund(db.writer, instructRefund(found, late.move, lateMs), null, effect, lateMs)
  return written ? 'without_answer' : 'nothing'
}

/** Spec 4.5.2: written with its event, and failed at once. */
async function failUnsupported(
  deps: CreateRefundDeps,
  claim: KeyClaim,
  { refund, fence }: Opened,
): Promise<void> {
  const nowMs = deps.clock()
  const change = moveRefund(refund, 'fail', { reason: 'not_supported' }, nowMs)
  const release = { kind: 'release', claim, fence } as const
  const written = await writeRefund(deps.db.writer, change, release, { job: { kind: 'end' } }, nowMs)
  // The worker, or an update of the merchant, was first. The next execution, or the worker, continues from there.
  if (!written) await releaseKey(deps.db.writer, claim, fence)
}

/** Continues a request whose key a 5xx or a death released. The refund exists, and the worker takes care of it. */
async function continueLinked(
  deps: CreateRefundDeps,
  claim: KeyClaim,
  { metadata }: CreateRefund,
  { resourceUuid, fence }: UsedKey & { kind: 'released' },
): Promise<Answer> {
  if (resourceUuid === null) throw new Error('the idempotency key of a refund has no resource id')
  const { open, found } = await findRefund(deps.db.reader, claim.merchantId, idOf('re', resourceUuid))
  if (!open) throw clientDisabled()
  if (found === undefined) throw new Error('the refund of a key vanished')
  if (found.failureReason === 'not_supported') throw notSupported()
  const rail = deps.rails.get(found.rail)
  const isUnsupported = rail !== undefined && refundsIn(rail, found.currency) === null
  // A refund that has changed since was sent by a process whose rail supports refunds. The worker sends it again.
  const isNew = found.status === 'pending' && found.instruction === 'unsent' && found.revision === 0
  if (isNew && isUnsupported) {
    await failUnsupported(deps, claim, { refund: found, fence })
    throw notSupported()
  }
  return finishKey(deps.db, claim, fence, answerOf(claim, { ...found, metadata }), deps.clock())
}

/** The refund as first written, whatever the rail has said of it since. */
export const answerOf = (claim: KeyClaim, refund: Refund): NewAnswer => {
  const written: Refund<'pending'> = { ...refund, status: 'pending', failureReason: null }
  return okAnswer(claim, renderRefund(written))
}
