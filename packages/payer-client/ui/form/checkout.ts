import type { PayerClient } from '../../src/client.ts'
import type { PaymentOrder } from '../../src/order.ts'
import type { PaymentResult } from '../../src/result.ts'
import type { FollowOptions } from '../../src/run.ts'
import type { Clock } from './clock.ts'
import type { ReadSession, SessionRead } from './read-session.ts'
import type { BrowserSession } from './types.ts'
import { languageOf, type Locale } from './words/languages.ts'
import type { AttemptStore, Order, Wish } from './attempt.ts'
import { type Facts, factsAtStart, isMoving, refusalOf } from './facts.ts'
import { learnProgress, learnRefusal, learnResult, learnSession } from './learn.ts'
import { paceOf } from './screen.ts'
import { createSessionReads } from './session-reads.ts'

export interface CheckoutDeps {
  readonly readSession: ReadSession
  /** Loads the payer client, which may have to be fetched first. */
  readonly loadPayer: () => Promise<Payer>
  readonly attempts: AttemptStore
  readonly secrets: SecretPlace
  readonly clientSecret: string
  readonly clock: Clock
  readonly serverNowMs: Clock
  readonly page: Page
  readonly chance: () => number
}

/** Keeps the secret while the payer is at a rail's page, whose return address does not have it. */
export interface SecretPlace {
  readonly keep: (sessionId: string, secret: string, expiresAtMs: number) => void
  readonly forget: (sessionId: string) => void
}

export interface Payer extends Pick<PayerClient, 'pay' | 'resume' | 'checkNow'> {
  /** For an order that the API refused, the parameter at fault; null for any other error. */
  readonly refusedParam: (error: unknown) => { readonly param: string | undefined } | null
}

export interface Page {
  /** The address to which a rail's page sends the payer back; it has no secret. */
  readonly returnUrl: () => string
  readonly isVisible: () => boolean
  readonly isOnline: () => boolean
  readonly leaveFor: (url: string) => void
}

/** The state of one payer's payment and the payer's actions. The UI renders `facts`. */
export interface Checkout {
  readonly facts: () => Facts
  readonly subscribe: (listener: () => void) => () => void
  /** `firstRead` was started before this module was loaded. */
  readonly start: (firstRead: Promise<SessionRead>) => Promise<void>
  readonly pay: (order: Order, locale: Locale) => Promise<void>
  readonly tryAgain: (how: 'same_number' | Wish) => void
  /** Called once the page shows its link for another device, which may pay from then on. */
  readonly shareLink: () => void
  /** Keeps the number that the payer types, for a reload. */
  readonly writeNumber: (number: string) => void
  /** Notes what the payer wants to do once the charge under way has ended; null to go on with it. */
  readonly wish: (wish: Wish | null) => void
  readonly look: () => Promise<void>
  readonly waitOn: () => Promise<void>
  /** Called when the page becomes visible or leaves the back-forward cache. */
  readonly resume: () => Promise<void>
  readonly networkChanged: () => Promise<void>
  readonly leaveFor: (url: string) => void
  readonly stop: () => void
}

type Begin = (client: Payer, options: FollowOptions) => Promise<PaymentResult | null>

/** How long the page polls often after the payer asked to go on waiting. */
const EXTRA_POLLING_MS = 120_000

export function createCheckout(deps: CheckoutDeps): Checkout {
  const { attempts, page } = deps
  const store = createStore(factsAtStart(page.isOnline(), attempts.out()))
  const { facts, update } = store
  const follower = createFollower(deps, store, {
    onBegin: () => reads.pause(),
    onEnd: async ({ notice }) => {
      forgetWhenOver(deps, facts())
      // The session may say why a payment cannot be made.
      if (notice === 'start_again') await reads.read()
      else reads.wait()
    },
  })
  const reads = createSessionReads({
    readSession: deps.readSession,
    pace: () => paceOf(facts()),
    isVisible: page.isVisible,
    chance: deps.chance,
    onSession: (session) => {
      if (facts().session === null) update(keptOf(attempts, session))
      update(learnSession(facts(), session))
      forgetWhenOver(deps, facts())
      // The phone's clock may have run ahead while no read set it right.
      if (approveByMs(session) > deps.serverNowMs()) update({ isOverdue: false })
      if (isMoving(session.payment_intent) && !facts().isOverdue)
        void follower.follow((client, options) => client.resume(options))
    },
    onTrouble: (trouble) => update({ trouble }),
  })
  const readAgain = async () => {
    if (!follower.isFollowing()) await reads.read()
  }

  return {
    facts,
    subscribe: store.subscribe,
    start: (firstRead) => reads.read(firstRead),
    pay: (order, locale) => pay(deps, store, follower, order, locale),
    ...choicesOf(deps, store),
    shareLink: () => {
      update({ isLinkShared: true })
      if (!follower.isFollowing()) reads.wait()
    },
    look: async () => {
      if (follower.isFollowing()) follower.checkNow()
      else await reads.read()
    },
    waitOn: async () => {
      update({ isOverdue: false })
      reads.pause()
      await follower.follow((client, options) => client.resume({ ...options, budgetMs: EXTRA_POLLING_MS }))
    },
    resume: async () => {
      // Drops the navigation that was pending when the page was hidden.
      if (facts().confirm === 'leaving') update({ confirm: 'idle' })
      if (page.isVisible()) await readAgain()
    },
    networkChanged: async () => {
      update({ online: page.isOnline() })
      if (page.isOnline()) await readAgain()
    },
    leaveFor: (url) => leaveFor(deps, store, url),
    stop: () => {
      follower.stop()
      reads.pause()
    },
  }
}

/** What the payer chooses between payments. The tab keeps it for a reload. */
const choicesOf = (
  { attempts }: CheckoutDeps,
  { facts, update }: Store,
): Pick<Checkout, 'tryAgain' | 'writeNumber' | 'wish'> => ({
  tryAgain: (how) => update({ declineSeen: how, notice: null }),
  writeNumber: (number) => {
    const { session } = facts()
    if (session !== null) attempts.saveNumber(session.payment_intent.id, number)
    update({ number })
  },
  wish: (wish) => {
    const { session, attempt } = facts()
    update({ wish })
    if (session !== null && attempt !== null) attempts.save(session.payment_intent.id, { ...attempt, wish })
  },
})

/** What this tab has kept of the payment, after a reload. */
function keptOf(attempts: AttemptStore, { payment_intent: intent }: BrowserSession): Partial<Facts> {
  const attempt = attempts.load(intent.id)
  return { attempt, wish: attempt?.wish ?? null, number: attempts.loadNumber(intent.id) }
}

/** The state of the payment, and its listeners. */
function createStore(atStart: Facts) {
  const listeners = new Set<() => void>()
  let facts = atStart
  return {
    facts: () => facts,
    update: (change: Partial<Facts>): void => {
      facts = { ...facts, ...change }
      for (const listener of listeners) listener()
    },
    subscribe: (listener: () => void) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}

type Store = ReturnType<typeof createStore>

/** Hands the payment to its client until it is over; the reads go on then. */
function createFollower(
  { loadPayer, attempts, clock }: CheckoutDeps,
  { facts, update }: Store,
  { onBegin, onEnd }: { onBegin: () => void; onEnd: (change: Partial<Facts>) => Promise<void> },
) {
  let following: AbortController | null = null
  let payer: Payer | null = null
  let stopped = false

  /** The tab keeps no number that the API has. An order that may not have arrived keeps its number for a reload. */
  function forgetNumber(): void {
    const id = facts().session?.payment_intent.id
    if (id !== undefined) attempts.forgetNumber(id)
  }

  async function outcomeOf(begin: Begin, signal: AbortSignal): Promise<Partial<Facts>> {
    try {
      payer ??= await inTime(loadPayer(), clock)
      const onProgress: FollowOptions['onProgress'] = (progress) => {
        if (progress.phase !== 'checking') attempts.markOut(refusalOf(facts().session))
        if (progress.phase === 'waiting') forgetNumber()
        update(learnProgress(facts(), progress))
      }
      const result = await begin(payer, { signal, onProgress })
      if (result !== null && result.outcome !== 'unresolved') forgetNumber()
      // The payer may have changed the facts while the payment was followed.
      return learnResult(facts(), result)
    } catch (error) {
      const refused = payer?.refusedParam(error) ?? null
      // Nothing was sent if the client itself could not be fetched.
      return refused === null ? learnResult(facts(), NOT_SENT) : learnRefusal(facts(), refused.param)
    }
  }

  return {
    isFollowing: () => following !== null,
    follow: async (begin: Begin): Promise<void> => {
      if (stopped || following !== null) return
      const mine = new AbortController()
      following = mine
      onBegin()
      update({ isSent: false })
      const change = await outcomeOf(begin, mine.signal)
      if (mine.signal.aborted) return
      following = null
      update(change)
      await onEnd(change)
    },
    checkNow: () => payer?.checkNow(),
    stop: () => {
      stopped = true
      following?.abort()
    },
  }
}

/**
 * The secret is kept for the return from a rail's page: as long as a charge may end there. The mark of an order stays
 * longer, until a read or an answer says how the order ended.
 */
function forgetWhenOver({ attempts, secrets }: CheckoutDeps, { session, confirm, notice }: Facts): void {
  if (session === null) return
  const { id, payment_intent: intent } = session
  const isPaid = intent.status === 'succeeded'
  if (isPaid) attempts.forget(intent.id)
  if (intent.live_charge !== null || (!isPaid && (confirm !== 'idle' || isMoving(intent)))) return
  secrets.forget(id)
  // An order that was not received may still arrive, unless the payment takes none any more.
  const isClosed = isPaid || intent.status === 'canceled' || session.status === 'expired'
  if (isClosed || notice !== 'not_received') attempts.forgetOut()
}

async function pay(
  deps: CheckoutDeps,
  store: Store,
  { isFollowing, follow }: ReturnType<typeof createFollower>,
  order: Order,
  locale: Locale,
): Promise<void> {
  const { session } = store.facts()
  if (session === null || isFollowing() || isMoving(session.payment_intent)) return
  const attempt = { ...order, startedMs: deps.serverNowMs() }
  deps.attempts.save(session.payment_intent.id, attempt)
  store.update({ confirm: 'sending', notice: null, isOverdue: false, wish: null, attempt })
  await follow((client, options) => client.pay(orderOf(deps, store, order, locale), options))
}

function orderOf(deps: CheckoutDeps, store: Store, { rail, msisdn }: Order, locale: Locale): PaymentOrder {
  const { api } = languageOf(locale)
  if (msisdn !== null) return { rail, msisdn, locale: api }
  return {
    rail,
    returnUrl: deps.page.returnUrl(),
    redirect: (url) => leaveFor(deps, store, url),
    locale: api,
  }
}

function leaveFor(deps: CheckoutDeps, { facts, update }: Store, url: string): void {
  const { session } = facts()
  if (session === null || !isPageAddress(url, session.livemode)) return
  const nowMs = deps.serverNowMs()
  // The charge may outlive its session, and so may the payer's visit to the rail's page.
  const untilMs = Math.max(session.expires_at * 1_000, Math.max(approveByMs(session), nowMs) + RETURN_MS)
  deps.secrets.keep(session.id, deps.clientSecret, deps.clock() + untilMs - nowMs)
  update({ confirm: 'leaving' })
  deps.page.leaveFor(url)
}

/** Zero without a charge. */
const approveByMs = ({ payment_intent: intent }: BrowserSession): number =>
  (intent.live_charge?.approve_by ?? 0) * 1_000

/** The client sends for a minute from its start, and a payer who waited longer than this may have paid otherwise. */
const LOAD_MS_MAX = 20_000

/** Rejects if the client is not there in time. It is not started then, even if it arrives. */
async function inTime(loading: Promise<Payer>, clock: Clock): Promise<Payer> {
  const untilMs = clock() + LOAD_MS_MAX
  const late = new Promise<never>((_, reject) => setTimeout(reject, LOAD_MS_MAX))
  const payer = await Promise.race([loading, late])
  // A sleeping phone stops its timers, so the client can arrive before one that is due.
  if (clock() > untilMs) throw new Error('late')
  return payer
}

/** How late a payer may return from a rail's page, after the time that the rail gives. */
const RETURN_MS = 3_600_000

const NOT_SENT: PaymentResult = { outcome: 'unresolved', reason: 'network', intent: null }

/** Only web addresses, and only https in livemode: a `javascript:` URL must never be followed. */
function isPageAddress(url: string, livemode: boolean): boolean {
  return url.startsWith('https://') || (!livemode && url.startsWith('http://'))
}
