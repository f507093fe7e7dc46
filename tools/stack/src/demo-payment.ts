import { setTimeout as delay } from 'node:timers/promises'
import type { MerchantPayments } from '@merchant-payments/node-sdk'
import type { Clock } from './clock.ts'
import type { Inbox, VerifiedEvent } from './demo-inbox.ts'
import { eventsOf, type Outcome, REFUND_EVENT, type Scenario } from './demo-scenarios.ts'

export interface DemoDeps {
  readonly payments: MerchantPayments
  readonly inbox: Inbox
  readonly rail: string
  readonly clock: Clock
  readonly signal: AbortSignal
}

/** What happened, and when after the payment's start. */
interface Moment {
  readonly what: string
  readonly afterMs: number
}

export interface DemoReport {
  readonly scenario: Scenario
  readonly moments: readonly Moment[]
  /** Null when all came as it must. */
  readonly fault: string | null
}

const AMOUNT = 2_500
const CALL = { timeoutMs: 5_000 }
const POLL_MS = 100
const PATIENCE_MS = 50_000

/** Makes one payment as a shop would, and follows it to its end. */
export async function makePayment(deps: DemoDeps, scenario: Scenario): Promise<DemoReport> {
  const { paymentIntents } = deps.payments
  const startedMs = deps.clock()
  const moments: Moment[] = []
  const note: Note = (what, atMs) => void moments.push({ what, afterMs: atMs - startedMs })
  const patience = AbortSignal.any([deps.signal, AbortSignal.timeout(PATIENCE_MS)])

  async function follow(): Promise<string | null> {
    const created = await paymentIntents.create(
      { amount: AMOUNT, currency: 'XAF', payment_method_types: [deps.rail] },
      CALL,
    )
    note(`create: ${created.status}`, deps.clock())
    const confirmed = await paymentIntents.confirm(
      created.id,
      { payment_method_data: { [deps.rail]: { msisdn: scenario.msisdn } } },
      CALL,
    )
    note(`confirm: ${confirmed.status}`, deps.clock())
    for (const outcome of scenario.outcomes) await untilKnown(deps, created.id, outcome, note, patience)
    if (scenario.refund) await giveBack(deps, created.id, scenario, note, patience)
    return surplusOf(await deps.inbox.eventsAbout(created.id), scenario)
  }

  const fault = await follow().catch((error: unknown) => (error instanceof Error ? error.message : 'unknown'))
  return { scenario, moments: moments.toSorted((one, other) => one.afterMs - other.afterMs), fault }
}

type Note = (what: string, atMs: number) => void

/** The whole amount, to the number that paid. */
async function giveBack(
  deps: DemoDeps,
  id: string,
  { msisdn }: Scenario,
  note: Note,
  patience: AbortSignal,
): Promise<void> {
  const { payments, rail, clock } = deps
  const refund = await payments.refunds.create(
    { payment_intent: id, destination: { [rail]: { msisdn } } },
    CALL,
  )
  note(`refund: ${refund.status}`, clock())
  await untilHeard(deps, id, REFUND_EVENT, note, patience)
}

/** Both ways to learn an outcome must tell the same. */
async function untilKnown(
  deps: DemoDeps,
  id: string,
  { event, status, errorCode }: Outcome,
  note: Note,
  patience: AbortSignal,
): Promise<void> {
  const { payments, clock } = deps
  const read = `GET: ${[status, errorCode].filter((word) => word !== null).join(', ')}`
  await Promise.all([
    firstTime(read, patience, async () => {
      const intent = await payments.paymentIntents.retrieve(id, CALL)
      const isKnown = intent.status === status && (intent.last_payment_error?.code ?? null) === errorCode
      return isKnown ? clock() : null
    }).then((atMs) => note(read, atMs)),
    untilHeard(deps, id, event, note, patience),
  ])
}

async function untilHeard(
  { inbox }: DemoDeps,
  id: string,
  event: string,
  note: Note,
  patience: AbortSignal,
): Promise<void> {
  const heard = `webhook: ${event}, signature verified`
  const atMs = await firstTime(heard, patience, async () => {
    const events = await inbox.eventsAbout(id)
    return events.find(({ type }) => type === event)?.receivedAtMs ?? null
  })
  note(heard, atMs)
}

async function firstTime(
  what: string,
  patience: AbortSignal,
  look: () => Promise<number | null>,
): Promise<number> {
  for (;;) {
    const atMs = await look()
    if (atMs !== null) return atMs
    if (patience.aborted) throw new Error(`waited in vain for ${what}`)
    await delay(POLL_MS)
  }
}

/** Each outcome is told once. */
function surplusOf(events: readonly VerifiedEvent[], scenario: Scenario): string | null {
  const types = events.map(({ type }) => type)
  return types.length === eventsOf(scenario).length ? null : `these events came: ${types.join(', ')}`
}
