import type { BrowserIntent, BrowserSession, Clock } from '../src/index.ts'

export const INTENT_ID = 'pi_0190b2c4e8f97d3ab6c51e2f40718293'
const SESSION_ID = 'cs_0190b2c4e8f97d3ab6c51e2f40718294'
export const PUBLISHABLE_KEY = 'pk_test_shop'
export const INTENT_SECRET = `${INTENT_ID}_secret_${'A1-_'.repeat(10)}xyz`
export const SESSION_SECRET = `${SESSION_ID}_secret_${'B2-_'.repeat(10)}xyz.${PUBLISHABLE_KEY}`

/** The rail's behaviour for one charge. */
export interface RailPlan {
  readonly submit: 'accepted' | 'declined' | 'unknown' | 'not_sent'
  readonly submitMs?: number
  readonly outcome?: 'succeeded' | 'failed' | 'never'
  /** Time from the submit. */
  readonly settleMs?: number
  /** Time from the failure. */
  readonly lateSuccessMs?: number
  readonly code?: NonNullable<BrowserIntent['last_payment_error']>['code']
  readonly page?: string
}

export interface Request {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

interface Charge {
  status: 'submitting' | 'live' | 'unconfirmed' | 'succeeded' | 'failed' | 'abandoned'
  readonly key: string
  readonly rail: string
  readonly openedMs: number
}

interface Key {
  readonly body: string
  answer: Answer | null
  isRunning: boolean
  charge: Charge | null
}

const WINDOW_MS = 5 * 60_000

/** The browser surface of one payment intent, with the service's rules and a rail that follows its plans. */
export function createService(clock: Clock, plans: readonly RailPlan[] = []) {
  const intent: BrowserIntent = {
    id: INTENT_ID,
    object: 'payment_intent',
    amount: 5000,
    currency: 'XAF',
    status: 'requires_payment_method',
    payment_method_types: ['mtn_momo_cm', 'orange_money_cm'],
    customer: null,
    description: null,
    metadata: {},
    next_action: null,
    last_payment_error: null,
    invoice: null,
    canceled_at: null,
    cancellation_reason: null,
    created: Math.floor(clock.now() / 1_000),
    livemode: false,
    live_charge: null,
    succeeded_charge: null,
  }
  const charges: Charge[] = []
  const keys = new Map<string, Key>()
  const reads = new Set<string>()
  let isSessionOpen = true
  let chargesMax = 10

  const isLive = ({ status }: Charge) => ['submitting', 'live', 'unconfirmed'].includes(status)

  const render = (): BrowserIntent => {
    const live = charges.find(isLive)
    const liveCharge = live && {
      payment_method_type: live.rail,
      approve_by: Math.floor((live.openedMs + WINDOW_MS) / 1_000),
      payer_number: '6 •• •• •• 01',
    }
    const rendered = structuredClone({ ...intent, live_charge: liveCharge ?? null })
    reads.add(JSON.stringify(rendered))
    return rendered
  }

  function decline(charge: Charge, { code = 'payer_declined', lateSuccessMs }: RailPlan): void {
    charge.status = 'failed'
    if (lateSuccessMs !== undefined) clock.setTimeout(() => succeed(charge), lateSuccessMs)
    if (intent.status === 'canceled' || intent.status === 'succeeded') return
    intent.status = 'requires_payment_method'
    intent.next_action = null
    intent.last_payment_error = {
      type: 'rail_error',
      code,
      decline_code: 'RAIL_CODE',
      message: 'No.',
      payment_method_type: charge.rail,
    }
  }

  function succeed(charge: Charge): void {
    charge.status = 'succeeded'
    const paidBy = {
      payment_method_type: charge.rail,
      succeeded_at: Math.floor(clock.now() / 1_000),
      rail_txn_id: '17677469451',
      payer_number: '6 •• •• •• 01',
      payee_number: null,
    }
    Object.assign(intent, { status: 'succeeded', last_payment_error: null, next_action: null })
    intent.succeeded_charge ??= paidBy
  }

  function settle(charge: Charge, plan: RailPlan): void {
    const { outcome = 'succeeded', settleMs = 20_000 } = plan
    if (outcome === 'never') return
    clock.setTimeout(() => (outcome === 'succeeded' ? succeed(charge) : decline(charge, plan)), settleMs)
  }

  /** The rail's answer to a submit; null if the service never gets one. */
  function submitted(charge: Charge, plan: RailPlan): Answer | null {
    if (plan.submit === 'accepted') {
      charge.status = 'live'
      if (intent.status === 'requires_payment_method') intent.status = 'processing'
      if (plan.page !== undefined) {
        const redirect = { url: plan.page, return_url: 'https://shop.example/thanks' }
        intent.next_action = { type: 'redirect_to_url', redirect_to_url: redirect }
      }
      settle(charge, plan)
      return ok(render())
    }
    if (plan.submit === 'declined') {
      decline(charge, plan)
      return ok(render())
    }
    charge.status = plan.submit === 'unknown' ? 'unconfirmed' : 'abandoned'
    if (plan.submit === 'unknown') settle(charge, plan)
    return null
  }

  function open(key: Key, idempotencyKey: string): Promise<Answer> {
    const plan = plans[charges.length] ?? { submit: 'accepted' }
    const rail = /payment_method_data\[(?:type\]=)?(\w+)/.exec(key.body)?.[1] ?? ''
    const charge: Charge = { status: 'submitting', key: idempotencyKey, rail, openedMs: clock.now() }
    charges.push(charge)
    intent.last_payment_error = null
    key.charge = charge
    key.isRunning = true
    return new Promise((resolve) => {
      clock.setTimeout(() => {
        key.isRunning = false
        key.answer = submitted(charge, plan)
        resolve(key.answer ?? refuse(502, 'provider_unavailable', true))
      }, plan.submitMs ?? 1_000)
    })
  }

  async function confirm(idempotencyKey: string, body: string): Promise<Answer> {
    const known = keys.get(idempotencyKey)
    if (known !== undefined && known.body !== body) return refuse(400, 'idempotency_key_in_use', false)
    if (known?.answer) return known.answer
    if (known?.isRunning === true) return refuse(400, 'idempotency_key_in_flight', true)
    const key: Key = known ?? { body, answer: null, isRunning: false, charge: null }
    keys.set(idempotencyKey, key)
    if (known !== undefined && intent.status === 'succeeded') return (known.answer = ok(render()))
    const refusal = judge(key)
    if (refusal !== null) return (key.answer = refusal)
    if (key.charge?.status === 'failed') return (key.answer = ok(render()))
    return open(key, idempotencyKey)
  }

  function judge({ body, charge }: Key): Answer | null {
    if (!body.includes('payment_method_data'))
      return refuse(400, 'invalid_request', false, 'payment_method_data')
    if (body.includes('msisdn]=abc')) {
      return refuse(400, 'invalid_request', false, 'payment_method_data[mtn_momo_cm][msisdn]')
    }
    if (!isSessionOpen) return refuse(409, 'session_not_open', false)
    if (intent.status === 'canceled') return refuse(409, 'intent_canceled', false)
    if (intent.status === 'succeeded') return refuse(409, 'charge_terminal', false)
    if (charges.some(isLive)) return refuse(409, 'charge_in_progress', false)
    if (charges.length >= chargesMax) return refuse(409, 'too_many_attempts', false)
    if (charge === null || charge.status === 'abandoned' || charge.status === 'failed') return null
    return refuse(409, 'charge_terminal', false)
  }

  const session = (): BrowserSession => ({
    id: SESSION_ID,
    object: 'checkout.session',
    status: isSessionOpen ? 'open' : 'expired',
    payment_status: intent.status === 'succeeded' ? 'paid' : 'unpaid',
    ui_mode: 'embedded',
    amount: intent.amount,
    currency: intent.currency,
    livemode: false,
    locale: null,
    expires_at: intent.created + 86_400,
    success_url: null,
    cancel_url: null,
    return_url: null,
    merchant: { name: 'Shop', accent_color: null, logo: null },
    payment_intent: render(),
    rails: [],
  })

  const isKnown = ({ headers, path }: Request) => {
    const secret = headers['client-secret']
    return (
      headers['publishable-key'] === PUBLISHABLE_KEY &&
      (secret === SESSION_SECRET || (secret === INTENT_SECRET && !path.includes('/checkout/')))
    )
  }

  return {
    intent,
    charges,
    keys,
    /** Every state of the intent that was read. */
    reads,
    /** Payers have used all their charges. */
    spendAttempts: () => {
      chargesMax = charges.length
    },
    endSession: () => {
      isSessionOpen = false
    },
    cancel: () => {
      intent.status = 'canceled'
    },
    async handle(request: Request): Promise<Answer> {
      const { method, path, headers, body } = request
      if (!isKnown(request)) return refuse(404, 'resource_missing', false)
      const route = `${method} ${path}`
      if (route === `GET /v1/browser/checkout/sessions/${SESSION_ID}`) return ok(session())
      if (route === `GET /v1/browser/payment_intents/${INTENT_ID}`) return ok(render())
      if (route === `POST /v1/browser/payment_intents/${INTENT_ID}/confirm`) {
        return confirm(headers['idempotency-key'] ?? '', body)
      }
      return refuse(404, 'unknown_route', false)
    },
  }
}

export type Service = ReturnType<typeof createService>

const ok = (body: object): Answer => ({ status: 200, headers: {}, body: JSON.stringify(body) })

export function refuse(status: number, code: string, shouldRetry: boolean, param?: string): Answer {
  const type = status < 500 ? 'invalid_request_error' : 'api_error'
  return {
    status,
    headers: { 'compat-should-retry': String(shouldRetry), 'request-id': 'req_1' },
    body: JSON.stringify({
      error: { type, code, message: 'No luck.', ...(param !== undefined && { param }) },
    }),
  }
}
