import { PayerClientError } from '../src/error.ts'
import { openPayment } from '../src/open-payment.ts'
import type { BrowserIntent } from '../src/wire.ts'
import { allowInsecureBaseUrl } from './allow-insecure-base-url.ts'
import { attemptStore } from './form/attempt.ts'
import { type Checkout, createCheckout, type Page } from './form/checkout.ts'
import { chance, deviceClock } from './form/clock.ts'
import { isMoving } from './form/facts.ts'
import { firstDraft, type OrderDraft } from './form/order-input.ts'
import type { ReadSession } from './form/read-session.ts'
import { safeStorage } from './form/safe-storage.ts'
import { screenOf } from './form/screen.ts'
import { observedFetch, serverClockOf } from './form/server-clock.ts'
import { addLanguage, formWords } from './form/words/index.ts'
import { isLocale, type Locale, localeOf, shownLocale } from './form/words/languages.ts'
import type { Catalogue } from './form/words/words.ts'
import { style } from './style.ts'
import { el, patch } from './tree.ts'
import { viewOfScene } from './view.ts'

/**
 * How a payment ended in the form. `expired`: the session accepts no more payments.
 *
 * @example
 * ```ts
 * const isPaid = (outcome: PaymentFormOutcome) => outcome === 'succeeded'
 * ```
 */
export type PaymentFormOutcome = 'succeeded' | 'canceled' | 'expired'

/**
 * The `outcome` event of a form. It is not settlement: fulfil the order from the signed webhook.
 *
 * @example
 * ```ts
 * form.addEventListener('outcome', ({ detail }: PaymentFormEvent) => {
 *   if (detail.outcome === 'succeeded') location.assign('/orders/42')
 * })
 * ```
 */
export type PaymentFormEvent = CustomEvent<{
  /** How the payment ended. */
  readonly outcome: PaymentFormOutcome
  /** The payment as last read. */
  readonly intent: BrowserIntent
}>

/**
 * The element `merchant-payment-form`. Its attributes are `base-url`, `client-secret`, `lang` and `return-url`.
 *
 * @example
 * ```ts
 * const form: PaymentForm = document.createElement('merchant-payment-form')
 * form.setAttribute('base-url', 'https://payments.example.com')
 * form.setAttribute('client-secret', order.clientSecret)
 * document.body.append(form)
 * ```
 */
export type PaymentForm = HTMLMerchantPaymentFormElement

declare global {
  /** The element `merchant-payment-form`. A program that has both formats of this package has one such type. */
  interface HTMLMerchantPaymentFormElement extends HTMLElement {
    /** Allows a base URL over plain http, on a developer's machine. Set it before the element has its attributes. */
    [allowInsecureBaseUrl]?: true
  }

  /** The elements by their names. */
  interface HTMLElementTagNameMap {
    /** The form of the hosted page. */
    'merchant-payment-form': HTMLMerchantPaymentFormElement
  }
}

/** A running payment of an element. */
interface Running {
  readonly checkout: Checkout
  readonly serverNowMs: () => number
  readonly stop: () => void
}

const TICK_MS = 1_000

const NOT_KEPT = { keep: () => undefined, forget: () => undefined }

/** A server may import this module too, where there are no elements. */
const Base: typeof HTMLElement = globalThis.HTMLElement ?? (Object as unknown as typeof HTMLElement)

export class PaymentFormElement extends Base implements PaymentForm {
  static readonly observedAttributes: readonly string[] = ['base-url', 'client-secret', 'lang', 'return-url']
  readonly #root = this.attachShadow({ mode: 'open' })
  #running: Running | null = null
  #draft: OrderDraft | null = null
  #copied: string | null = null
  #told: string | null = null
  #isStarting = false

  connectedCallback(): void {
    dress(this.#root)
    this.#begin()
  }

  disconnectedCallback(): void {
    this.#end()
  }

  attributeChangedCallback(name: string, before: string | null, after: string | null): void {
    if (before === after) return
    if (name === 'base-url' || name === 'client-secret') this.#told = null
    if (!this.isConnected) return
    if (name === 'lang') this.#draw()
    else if (name !== 'return-url') this.#begin()
  }

  /** Starts once the page has set all attributes of this moment. */
  #begin(): void {
    this.#end()
    if (this.#isStarting) return
    this.#isStarting = true
    queueMicrotask(() => {
      this.#isStarting = false
      if (this.isConnected && this.#running === null) this.#start()
    })
  }

  #start(): void {
    const baseUrl = this.getAttribute('base-url')
    const clientSecret = this.getAttribute('client-secret')
    // A page may add the element first and its attributes later.
    if (baseUrl === null || clientSecret === null) return
    try {
      const returnUrl = () => this.getAttribute('return-url') ?? location.href.replace(/#.*/, '')
      const isInsecureAllowed = (this as PaymentForm)[allowInsecureBaseUrl] === true
      this.#running = run({ baseUrl, clientSecret, returnUrl, isInsecureAllowed }, () => this.#draw())
    } catch (error) {
      const locale = this.#locale()
      const say = () => patch(this.#root, [el('p', { role: 'alert' }, formWords[locale].orderRefused)])
      if (hasLanguage(locale, say)) say()
      throw error
    }
    this.#draw()
  }

  #end(): void {
    this.#running?.stop()
    this.#running = null
    this.#draft = null
  }

  #locale(): Locale {
    const chosen = this.getAttribute('lang')
    return shownLocale(
      {
        chosen: isLocale(chosen) ? chosen : null,
        remembered: null,
        ofBrowser: localeOf([document.documentElement.lang, ...navigator.languages]),
      },
      this.#running?.checkout.facts().session ?? null,
    )
  }

  #draw(): void {
    if (this.#running === null) return
    const { checkout, serverNowMs } = this.#running
    const facts = checkout.facts()
    const locale = this.#locale()
    if (!hasLanguage(locale, () => this.#draw())) return
    const screen = screenOf(facts)
    const rails = facts.session?.rails ?? []
    this.#draft = screen.name === 'form' ? (this.#draft ?? firstDraft(rails, facts)) : null
    const before = this.#root.querySelector('h2')
    const wasInside = this.#root.activeElement !== null
    patch(
      this.#root,
      viewOfScene({
        facts,
        checkout,
        locale,
        serverMs: serverNowMs(),
        draft: this.#draft ?? firstDraft(rails, facts),
        setDraft: (draft) => {
          this.#draft = draft
          this.#draw()
        },
        copied: this.#copied,
        copy: (code) => void this.#copy(code),
      }),
    )
    const heading = this.#root.querySelector('h2')
    // A screen reader announces the new screen, if its payer was in the one before.
    if (wasInside && heading !== before) heading?.focus()
    this.#tell()
  }

  async #copy(code: string): Promise<void> {
    await navigator.clipboard.writeText(code).then(
      () => {
        this.#copied = code
      },
      // The payer can still read the code.
      () => undefined,
    )
    this.#draw()
  }

  /** Tells the page each outcome of a payment once, also if the page moves the element, which starts it anew. */
  #tell(): void {
    const facts = this.#running?.checkout.facts()
    const name = facts === undefined ? null : screenOf(facts).name
    const outcome = name === 'succeeded' || name === 'canceled' || name === 'expired' ? name : null
    if (outcome === null || outcome === this.#told) return
    const intent = facts?.session?.payment_intent
    if (intent !== undefined) {
      this.#told = outcome
      this.dispatchEvent(new CustomEvent('outcome', { detail: { outcome, intent } }))
    }
  }
}

const files: Readonly<Record<Locale, () => Promise<Catalogue>>> = {
  fr: () => import('./form/words/fr.ts').then(({ form, declines }) => ({ form, declines })),
  en: () => import('./form/words/en.ts').then(({ form, declines }) => ({ form, declines })),
}

const RETRY_MS = 3_000
const TRIES_MAX = 20

const loading: Partial<Record<Locale, Promise<void>>> = {}

/** Whether the texts of a language are there. If not, loads them and calls `then`. */
function hasLanguage(locale: Locale, then: () => void): boolean {
  if (locale in formWords) return true
  void (loading[locale] ??= load(locale)).then(then, () => delete loading[locale])
  return false
}

/** Retries while the network fails. */
async function load(locale: Locale): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      return addLanguage(locale, await files[locale]())
    } catch (error) {
      if (tries === TRIES_MAX) throw error
    }
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS))
  }
}

interface RunOptions {
  readonly baseUrl: string
  readonly clientSecret: string
  readonly returnUrl: () => string
  readonly isInsecureAllowed: boolean
}

/** Starts to read and follow the payment. @throws TypeError for a URL or a secret that cannot be used */
function run({ baseUrl, clientSecret, returnUrl, isInsecureAllowed }: RunOptions, draw: () => void): Running {
  const serverClock = serverClockOf(deviceClock)
  const { deps, pay, resume, checkNow } = openPayment({
    baseUrl,
    clientSecret,
    fetch: observedFetch(serverClock),
    ...(isInsecureAllowed && { [allowInsecureBaseUrl]: true }),
  })
  if (deps.secret.kind !== 'cs') throw new TypeError('client-secret must be a session’s')
  const readSession: ReadSession = async (signal) => {
    const seen = await deps.reads.session({ signal })
    if ('trouble' in seen) return { trouble: seen.trouble === 'not_found' ? 'not_found' : 'no_answer' }
    return { session: seen.found }
  }
  const checkout = createCheckout({
    readSession,
    loadPayer: () => Promise.resolve({ pay, resume, checkNow, refusedParam }),
    attempts: attemptStore(
      safeStorage(() => sessionStorage),
      deps.secret.id,
    ),
    // The merchant's page has the secret again when the payer returns.
    secrets: NOT_KEPT,
    clientSecret,
    clock: deviceClock,
    serverNowMs: serverClock.nowMs,
    page: { ...browserPage, returnUrl },
    chance,
  })
  const unsubscribe = checkout.subscribe(draw)
  const timer = setInterval(() => {
    const { session } = checkout.facts()
    if (session !== null && isMoving(session.payment_intent)) draw()
  }, TICK_MS)
  const unlisten = listen(checkout)
  void checkout.start(readSession())
  return {
    checkout,
    serverNowMs: serverClock.nowMs,
    stop: () => {
      unlisten()
      clearInterval(timer)
      unsubscribe()
      checkout.stop()
    },
  }
}

function refusedParam(error: unknown): { readonly param: string | undefined } | null {
  if (!(error instanceof PayerClientError) || error.reason !== 'refused') return null
  // The developer of the page reads here that, for example, a return-url is too long.
  console.error(error.message)
  return error
}

const browserPage: Omit<Page, 'returnUrl'> = {
  isVisible: () => document.visibilityState === 'visible',
  isOnline: () => navigator.onLine,
  leaveFor: (url) => location.assign(url),
}

function listen(checkout: Checkout): () => void {
  const networkChanged = () => void checkout.networkChanged()
  const listeners = {
    // The back-forward cache restores the page as it was, but its timers may have died.
    pageshow: (event: PageTransitionEvent) => event.persisted && void checkout.resume(),
    visibilitychange: () => void checkout.resume(),
    online: networkChanged,
    offline: networkChanged,
  }
  const entries = Object.entries(listeners) as [string, EventListener][]
  for (const [name, listener] of entries) addEventListener(name, listener)
  return () => entries.forEach(([name, listener]) => removeEventListener(name, listener))
}

/** A constructed style sheet needs no `style-src` in the page's policy. */
function dress(root: ShadowRoot): void {
  if (root.adoptedStyleSheets.length > 0) return
  const sheet = new CSSStyleSheet()
  sheet.replaceSync(style)
  root.adoptedStyleSheets = [sheet]
}
