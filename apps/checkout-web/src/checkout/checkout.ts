import type { FollowOptions, PayerClient, PaymentOrder, PaymentResult } from '@merchant-payments/payer-client'
import type { Clock } from '../clock.ts'
import type { SecretKeeper } from '../secret-keeper.ts'
import type { ReadSession, SessionRead } from '../wire/read-session.ts'
import type { Locale } from '../wire/types.ts'
import type { AttemptStore, Order } from './attempt.ts'
import { type Facts, factsAtStart, isMoving } from './facts.ts'
import { learnProgress, learnRefusal, learnResult, learnSession } from './learn.ts'
import { paceOf, screenOf } from './screen.ts'
import { createSessionReads } from './session-reads.ts'

export interface CheckoutDeps {
  readonly readSession: ReadSession
  /** Loads the payer client, which may have to be fetched first. */
  readonly loadPayer: () => Promise<Payer>
  readonly attempts: AttemptStore
  readonly secrets: SecretKeeper
  readonly clientSecret: string
  readonly clock: Clock
  readonly serverNowMs: Clock
  readonly page: Page
  readonly chance: () => number
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
  readonly tryAgain: (number: 'same_number' | 'other_number') => void
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
const MORE_PATIENCE_MS = 120_000

export function createCheckout(deps: CheckoutDeps): Checkout {
  const { attempts, page } = deps
  const listeners = new Set<() => void>()
  let facts = factsAtStart(page.isOnline())
  let following: AbortController | null = null
  let payer: Payer | null = null
  let stopped = false

  function update(change: Partial<Facts>): void {
    facts = { ...facts, ...change }
    for (const listener of listeners) listener()
  }

  const reads = createSessionReads({
    readSession: deps.readSession,
    pace: () => paceOf(screenOf(facts)),
    isVisible: page.isVisible,
    chance: deps.chance,
    onSession: (session) => {
      update({
        attempt: facts.attempt ?? attempts.load(session.payment_intent.id),
        ...learnSession(facts, session),
      })
      forgetWhenPaid()
      if (isMoving(session.payment_intent) && !facts.isOverdue)
        void follow((client, options) => client.resume(options))
    },
    onTrouble: (trouble) => update({ trouble }),
  })

  /** Lets the payer client follow the payment to its end. Session reads continue after that. */
  async function follow(begin: Begin): Promise<void> {
    if (stopped || following !== null) return
    const mine = new AbortController()
    following = mine
    reads.pause()
    const change = await outcomeOf(begin, mine.signal)
    if (mine.signal.aborted) return
    following = null
    update(change)
    forgetWhenPaid()
    // The session may show why the payment cannot be made.
    if (change.notice === 'start_again') await reads.read()
    else reads.wait()
  }

  async function outcomeOf(begin: Begin, signal: AbortSignal): Promise<Partial<Facts>> {
    try {
      payer ??= await deps.loadPayer()
      const onProgress: FollowOptions['onProgress'] = (progress) => update(learnProgress(facts, progress))
      return learnResult(facts, await begin(payer, { signal, onProgress }))
    } catch (error) {
      const refused = payer?.refusedParam(error) ?? null
      // If the payer client could not be fetched, nothing was sent.
      return refused === null ? learnResult(facts, NOT_SENT) : learnRefusal(facts, refused.param)
    }
  }

  function forgetWhenPaid(): void {
    const { session } = facts
    if (session?.payment_intent.status !== 'succeeded') return
    attempts.forget(session.payment_intent.id)
    deps.secrets.forget(session.id)
  }

  async function look(): Promise<void> {
    if (following === null) await reads.read()
    else payer?.checkNow()
  }

  async function pay(order: Order, locale: Locale): Promise<void> {
    const { session } = facts
    if (session === null || following !== null || isMoving(session.payment_intent)) return
    const attempt = { ...order, startedMs: deps.clock() }
    attempts.save(session.payment_intent.id, attempt)
    update({ confirm: 'sending', notice: null, isOverdue: false, attempt })
    await follow((client, options) => client.pay(orderOf(order, locale), options))
  }

  const orderOf = ({ rail, msisdn }: Order, locale: Locale): PaymentOrder =>
    msisdn === null
      ? { rail, returnUrl: page.returnUrl(), redirect: leaveFor, locale }
      : { rail, msisdn, locale }

  function leaveFor(url: string): void {
    const { session } = facts
    if (session === null || !isPageAddress(url, session.livemode)) return
    const livesMs = session.expires_at * 1_000 - deps.serverNowMs()
    deps.secrets.keep(session.id, deps.clientSecret, deps.clock() + Math.max(livesMs, 0))
    update({ confirm: 'leaving' })
    page.leaveFor(url)
  }

  return {
    facts: () => facts,
    subscribe: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    start: (firstRead) => reads.read(firstRead),
    pay,
    tryAgain: (number) => update({ declineSeen: number, notice: null }),
    look,
    waitOn: async () => {
      update({ isOverdue: false })
      reads.pause()
      await follow((client, options) => client.resume({ ...options, budgetMs: MORE_PATIENCE_MS }))
    },
    resume: async () => {
      // A page restored from the cache no longer leaves for the rail.
      if (facts.confirm === 'leaving') update({ confirm: 'idle' })
      if (page.isVisible() && following === null) await reads.read()
    },
    networkChanged: async () => {
      update({ online: page.isOnline() })
      if (page.isOnline() && following === null) await reads.read()
    },
    leaveFor,
    stop: () => {
      stopped = true
      following?.abort()
      reads.pause()
    },
  }
}

const NOT_SENT: PaymentResult = { outcome: 'unresolved', reason: 'network', intent: null }

/** Only web addresses, and only https in livemode: a `javascript:` URL must never be followed. */
function isPageAddress(url: string, livemode: boolean): boolean {
  return url.startsWith('https://') || (!livemode && url.startsWith('http://'))
}
