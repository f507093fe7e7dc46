import { type Attempt, errorMark } from './attempts.ts'
import { sendConfirm } from './confirm.ts'
import { backoffMs, pollMs } from './pace.ts'
import type { PaymentResult } from './result.ts'
import { type Run, SEND_WITHIN_MS, STALE_READS_MAX, tell, unresolved } from './run.ts'
import type { BrowserIntent } from './wire.ts'

/** Decides from a read: the payment's result, or the delay before the next read. */
export async function decide(run: Run, intent: BrowserIntent): Promise<PaymentResult | null | number> {
  const { status } = intent
  run.attempt ??= await findAttempt(run, intent)
  if (status === 'succeeded' || status === 'canceled') {
    await endAttempt(run, intent)
    return { outcome: status, intent }
  }
  if (status === 'processing' || intent.live_charge !== null) {
    run.sawCharge = true
    tell(run, 'waiting')
    sendToRail(run, intent)
    return nextPollMs(run)
  }
  if (isIdle(run, intent)) return waitForNews(run, intent)
  if (isDeclined(run, intent)) return reportDecline(run, intent)
  return run.order === null ? null : sendOrder(run, intent)
}

/**
 * Whether a read shows nothing of the accepted charge: no error, or one that may be older than the charge. A charge
 * that was seen has replaced an older error.
 */
const isIdle = ({ attempt, sawCharge }: Run, intent: BrowserIntent): boolean =>
  attempt?.state === 'accepted' &&
  !isNews(intent, attempt) &&
  (intent.last_payment_error === null || !sawCharge)

/**
 * After a 200, a stale read shows nothing of the charge. So does an attempt that another device left behind, and a
 * charge that was refused for the same reason as the one before.
 */
async function waitForNews(run: Run, intent: BrowserIntent): Promise<PaymentResult | null | number> {
  run.idleReads += 1
  if (run.idleReads < STALE_READS_MAX) return nextPollMs(run)
  if (intent.last_payment_error !== null) return reportDecline(run, intent)
  await endAttempt(run, intent)
  return run.order === null ? null : unresolved(run, 'server')
}

/** Sends the order. Nothing is under way, and there is no decline to report. */
async function sendOrder(run: Run, intent: BrowserIntent): Promise<PaymentResult | number> {
  switch (run.attempt?.state) {
    case 'refused':
      await endAttempt(run, intent)
      return unresolved(run, run.refusedFor)
    case undefined:
    case 'spent':
      run.attempt = run.attempts.begin(intent)
      break
    case 'new':
    case 'sent':
    case 'told':
    case 'accepted':
  }
  if (run.elapsedMs() >= SEND_WITHIN_MS) return unresolved(run, run.sendTrouble)
  return send(run, intent.id, run.attempt)
}

async function send(run: Run, intentId: string, attempt: Attempt): Promise<number> {
  const { attempts } = run
  if (attempt.state === 'new') await attempts.move(intentId, attempt, 'sent')
  tell(run, 'sending')
  const sent = await sendConfirm(run, intentId, attempt)
  if ('error' in sent) {
    await attempts.end(intentId, attempt)
    throw sent.error
  }
  if ('state' in sent) {
    if (sent.state === 'refused') run.refusedFor = sent.why
    else if (sent.isDeclined === true) run.sawCharge = true
    await attempts.move(intentId, attempt, sent.state)
    return 0
  }
  run.trouble = run.sendTrouble = sent.trouble
  run.tries += 1
  tell(run, 'sending')
  return backoffMs(run.tries, run.random)
}

async function findAttempt({ attempts, order }: Run, intent: BrowserIntent): Promise<Attempt | null> {
  const found = await attempts.find(intent.id)
  if (order === null || found === null) return found
  // An earlier call already got an answer for this attempt, so this is a new press of the button.
  if (found.state === 'accepted' || found.state === 'refused' || found.state === 'spent') return null
  if (found.state === 'sent' && isNews(intent, found)) await attempts.move(intent.id, found, 'told')
  return found
}

/** Whether the present error belongs to the followed charge and not to an earlier one. */
function isDeclined({ sawCharge, attempt, order }: Run, intent: BrowserIntent): boolean {
  if (intent.last_payment_error === null) return false
  if (sawCharge || attempt?.state === 'accepted') return true
  if (attempt === null) return order === null
  if (attempt.state === 'told') return order === null
  return attempt.state !== 'spent' && isNews(intent, attempt)
}

/** An unanswered attempt may still be on its way after its decline, so it is closed before the next one begins. */
async function reportDecline(run: Run, intent: BrowserIntent): Promise<PaymentResult | null> {
  const { attempt } = run
  const error = intent.last_payment_error
  if (error === null) return null
  if (attempt?.state === 'sent' || attempt?.state === 'told') {
    await run.attempts.move(intent.id, attempt, 'told')
  } else await endAttempt(run, intent)
  return { outcome: 'failed', intent, code: error.code, message: error.message }
}

async function endAttempt({ attempts, attempt }: Run, { id }: BrowserIntent): Promise<void> {
  if (attempt !== null) await attempts.end(id, attempt)
}

function sendToRail(run: Run, { next_action }: BrowserIntent): void {
  const { order } = run
  if (order === null || !('redirect' in order) || run.isRedirected || next_action === null) return
  run.isRedirected = true
  order.redirect(next_action.redirect_to_url.url)
}

const nextPollMs = ({ random, elapsedMs }: Run): number => pollMs(elapsedMs(), random)

const isNews = (intent: BrowserIntent, attempt: Attempt): boolean =>
  intent.last_payment_error !== null && errorMark(intent) !== attempt.errorBefore
