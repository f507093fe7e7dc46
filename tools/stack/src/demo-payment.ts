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

interface Moment {
  readonly what: string
  readonly afterMs: number
}

export interface DemoReport {
  readonly scenario: Scenario
  readonly moments: readonly Moment[]
  readonly fault: string | null
}

const AMOUNT = 2_500
const CALL = { timeoutMs: 5_000 }
const POLL_MS = 100
const OUTCOME_TIMEOUT_MS = 50_000

export async function makePayment(deps: DemoDeps, scenario: Scenario): Promise<DemoReport> {
  const { paymentIntents } = deps.payments
  const startedMs = deps.clock()
  const moments: Moment[] = []
  const note: Note = (what, atMs) => void moments.push({ what, afterMs: atMs - startedMs })
  const deadline = AbortSignal.any([deps.signal, AbortSignal.timeout(OUTCOME_TIMEOUT_MS)])

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
    for (const outcome of scenario.outcomes) await untilKnown(deps, created.id, outcome, note, deadline)
    if (scenario.refund) await giveBack(deps, created.id, scenario, note, deadline)
    return surplusOf(await deps.inbox.eventsAbout(created.id), scenario)
  }

  const fault = await follow().catch((error: unknown) => (error instanceof Error ? error.message : 'unknown'))
  return { scenario, moments: moments.toSorted((one, other) => one.afterMs - other.afterMs), fault }
}

type Note = (what: string, atMs: number) => void

async function giveBack(
  deps: DemoDeps,
  id: string,
  { msisdn }: Scenario,
  note: Note,
  deadline: AbortSignal,
): Promise<void> {
  const { payments, rail, clock } = deps
  const refund = await payments.refunds.create(
    { payment_intent: id, destination: { [rail]: { msisdn } } },
    CALL,
  )
  note(`refund: ${refund.status}`, clock())
  await untilHeard(deps, id, REFUND_EVENT, note, deadline)
}

async function untilKnown(
  deps: DemoDeps,
  id: string,
  { event, status, errorCode }: Outcome,
  note: Note,
  deadline: AbortSignal,
): Promise<void> {
  const { payments, clock } = deps
  const read = `GET: ${[status, errorCode].filter((word) => word !== null).join(', ')}`
  await Promise.all([
    firstTime(read, deadline, async () => {
      const intent = await payments.paymentIntents.retrieve(id, CALL)
      const isKnown = intent.status === status && (intent.last_payment_error?.code ?? null) === errorCode
      return isKnown ? clock() : null
    }).then((atMs) => note(read, atMs)),
    untilHeard(deps, id, event, note, deadline),
  ])
}

async function untilHeard(
  { inbox }: DemoDeps,
  id: string,
  event: string,
  note: Note,
  deadline: AbortSignal,
): Promise<void> {
  const heard = `webhook: ${event}, signature verified`
  const atMs = await firstTime(heard, deadline, async () => {
    const events = await inbox.eventsAbout(id)
    return events.find(({ type }) => type === event)?.receivedAtMs ?? null
  })
  note(heard, atMs)
}

async function firstTime(
  what: string,
  deadline: AbortSignal,
  look: () => Promise<number | null>,
): Promise<number> {
  for (;;) {
    const atMs = await look()
    if (atMs !== null) return atMs
    if (deadline.aborted) throw new Error(`timed out waiting for ${what}`)
    await delay(POLL_MS)
  }
}

function surplusOf(events: readonly VerifiedEvent[], scenario: Scenario): string | null {
  const types = events.map(({ type }) => type)
  return types.length === eventsOf(scenario).length ? null : `these events came: ${types.join(', ')}`
}
