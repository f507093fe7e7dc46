import { setTimeout as delay } from 'node:timers/promises'
import {
  type Event,
  type EventListParams,
  isPaymentsError,
  type MerchantPayments,
  type PaymentsError,
  type RequestOptions,
  type UnknownEvent,
} from '@merchant-payments/node-sdk'
import { type Answer, deliver } from './delivery.ts'
import { exitCodes, Failure } from './failure.ts'
import type { Place } from './place.ts'

export type AnyEvent = Event | UnknownEvent

/** How it waits while the service or the server is away. */
interface Wait {
  /** Ends after what is there now, without waiting for more. */
  readonly once: boolean
  readonly signal: AbortSignal
  readonly onWait: (reason: string) => void
}

export interface FollowOptions extends Wait {
  readonly payments: MerchantPayments
  readonly forwardTo: string
  readonly types: EventListParams['types']
  readonly place: Place
  readonly onAnswer: (event: AnyEvent, answer: Answer) => Promise<void>
  readonly keep: (place: Place) => Promise<void>
}

type ReadOptions = Pick<RequestOptions, 'signal' | 'timeoutMs'>

const PAGE_LIMIT = 100
const POLL_MS = 1_000
const RETRY_MIN_MS = 1_000
const RETRY_MAX_MS = 15_000
/** A list is one page from an index. */
const READ_TIMEOUT_MS = 10_000
/** Events of a merchant without any at the start: more come in one poll only from a load test. */
const FIRST_EVENTS_MAX = 10_000

/**
 * Delivers each event after the place, oldest first. An event counts as delivered once the server has answered,
 * whatever it said; while nothing listens there, or the service is away, it waits.
 */
export async function follow(options: FollowOptions): Promise<void> {
  const { payments, types, signal, once, keep } = options
  let { place } = options
  let last: string | null = null
  for (;;) {
    const events = await eventsAfter(options, place.cursor)
    if (once && events.length > 0) last ??= await newestOf(payments, types)
    for (const event of events) {
      const answer = await untilAnswered(event, options, place.secret)
      if (answer === null) return
      await options.onAnswer(event, answer)
      place = { ...place, cursor: event.id }
      await keep(place)
      // Later ones are left to the next run, or a busy merchant's would keep this one running.
      if (event.id === last) return
    }
    // Only an empty page is the last one: a page can be shorter than its limit.
    if (signal.aborted || (once && events.length === 0)) return
    if (!once) await pause(POLL_MS, signal)
  }
}

/** The newest event of these types, or of all; null if there is none. */
async function newestOf(
  payments: MerchantPayments,
  types?: FollowOptions['types'],
  read: ReadOptions = {},
): Promise<string | null> {
  const { data } = await payments.events.list({ ...filterOf(types), limit: 1 }, read).page()
  return data[0]?.id ?? null
}

/** The newest event, after which a first run begins; null if there is none, undefined if it was stopped before. */
export const firstCursor = (payments: MerchantPayments, wait: Wait): Promise<string | null | undefined> =>
  untilServed(wait, (read) => newestOf(payments, undefined, read))

/** One page of them, so that the place is kept often. */
async function eventsAfter(options: FollowOptions, cursor: string | null): Promise<AnyEvent[]> {
  const { payments, types } = options
  const filter = filterOf(types)
  const events = await untilServed(options, async (read) => {
    if (cursor === null) return payments.events.list(filter, read).toArray({ limit: FIRST_EVENTS_MAX })
    const params = { ...filter, limit: PAGE_LIMIT, ending_before: cursor }
    return (await payments.events.list(params, read).page()).data
  })
  return (events ?? []).toReversed()
}

/** Reads again while the service is away. Undefined if it was stopped before. */
async function untilServed<T>(
  { once, signal, onWait }: Wait,
  call: (read: ReadOptions) => Promise<T>,
): Promise<T | undefined> {
  for (let retryMs = RETRY_MIN_MS; ; retryMs = Math.min(2 * retryMs, RETRY_MAX_MS)) {
    try {
      return await call({ signal, timeoutMs: READ_TIMEOUT_MS })
    } catch (error) {
      if (signal.aborted) return undefined
      if (once || !isPaymentsError(error) || !isAway(error)) throw error
      onWait(`the service does not answer (${error.code ?? error.name})`)
    }
    await pause(retryMs, signal)
    if (signal.aborted) return undefined
  }
}

const filterOf = (types: FollowOptions['types']) => (types === undefined ? {} : { types })

/** An ingress without a service behind it answers with a page of its own, of any status. */
const isAway = ({ shouldRetry, type }: PaymentsError): boolean => shouldRetry || type === 'decode_error'

/** Null if it was stopped before. */
async function untilAnswered(
  event: AnyEvent,
  options: FollowOptions,
  secret: string,
): Promise<Answer | null> {
  const { forwardTo, signal, once, onWait } = options
  for (let retryMs = RETRY_MIN_MS; !signal.aborted; retryMs = Math.min(2 * retryMs, RETRY_MAX_MS)) {
    const answer = await deliver(event, { url: forwardTo, secrets: [secret], signal })
    if (answer.status !== null) return answer
    if (signal.aborted) return null
    if (once) throw new Failure(`${forwardTo} does not answer`, exitCodes.unreachable)
    onWait(`${forwardTo} does not answer: start your server there`)
    await pause(retryMs, signal)
  }
  return null
}

const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  delay(ms, undefined, { signal }).catch(() => undefined)
