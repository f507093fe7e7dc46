import type { Call } from './call.ts'
import { withoutWords } from './erasure.ts'
import type { Charge, Intent } from './objects.ts'
import { absent, type Ending, type Fate, type RailCode, rails } from './rails.ts'
import { renderIntent, renderInvoice } from './render.ts'
import { type Books, mint, type Shop, tell } from './state.ts'
import { Refused } from './verdict.ts'

/** A charge whose outcome is still open. At most one of an intent is, ever (spec 3.1.1). */
export const isOpen = ({ state }: Charge): boolean => state === 'live' || state === 'unconfirmed'

type Place = Pick<Call, 'books' | 'shop' | 'nowMs'>

/**
 * What the rail's answer to a submit does (docs/spec-gaps.md).
 *
 * @throws Refused provider_unavailable, after the charge was opened
 */
export function openCharge(
  call: Call,
  intent: Intent,
  {
    rail,
    returnUrl,
    payer,
  }: { readonly rail: RailCode; readonly returnUrl: string | null; readonly payer: string | null },
  ending: Ending,
): Charge {
  const charge: Charge = {
    rail,
    openedMs: call.nowMs,
    state: 'live',
    fate: ending.fate,
    absences: 0,
    paidMs: null,
    txn: null,
    payer,
  }
  intent.charges.push(charge)
  intent.error = null
  call.begin(charge)
  switch (call.throttled ? 'not_sent' : ending.answer) {
    case 'accepted':
      intent.status = 'processing'
      intent.page = returnUrl === null ? null : { url: mint(call.books, 'page'), returnUrl }
      return charge
    case 'declined':
      fail(call, intent, charge)
      return charge
    case 'not_sent':
      charge.state = 'abandoned'
      charge.fate = absent
      throw new Refused('provider_unavailable')
    case 'unknown':
      // Money cannot move on a page that nobody was given.
      charge.state = rails[rail].flow === 'redirect' ? 'abandoned' : 'unconfirmed'
      throw new Refused('provider_unavailable')
  }
}

const notAccepted = { code: 'not_accepted', declineCode: null, message: null }

/** The rail refused: an intent that still waits hears of it, a canceled or succeeded one does not. */
function fail({ books, shop, nowMs }: Place, intent: Intent, charge: Charge): void {
  charge.state = 'failed'
  if (intent.status === 'canceled' || intent.status === 'succeeded') return
  const reason = charge.fate.kind === 'refused' ? charge.fate.reason : notAccepted
  const error = { ...reason, rail: charge.rail }
  intent.status = 'requires_payment_method'
  intent.page = null
  intent.error = isErased(shop, intent) ? withoutWords(error) : error
  tell(books, shop, 'payment_intent.payment_failed', renderIntent(intent), nowMs)
}

const isErased = ({ customers }: Shop, { customer }: Intent): boolean =>
  customers.some(({ id, erasedMs }) => id === customer && erasedMs !== null)

/** Money arrived: an ordinary success, however late (spec 1.5); beside another success it is a duplicate. */
function succeed({ books, shop, nowMs }: Place, intent: Intent, charge: Charge): void {
  if (intent.status === 'succeeded') {
    charge.state = 'duplicate'
    return
  }
  Object.assign(charge, { state: 'succeeded', paidMs: nowMs, txn: mint(books, 'txn') })
  Object.assign(intent, { status: 'succeeded', page: null, error: null, canceledMs: null, reason: null })
  tell(books, shop, 'payment_intent.succeeded', renderIntent(intent), nowMs)
  const session = shop.sessions.find((one) => one.intent === intent.id)
  if (session !== undefined) {
    session.paid = true
    if (session.status === 'open') session.status = 'complete'
  }
  const invoice = shop.invoices.find(({ id }) => id === intent.invoice)
  if (invoice?.status !== 'open' && invoice?.status !== 'uncollectible') return
  Object.assign(invoice, { status: 'paid', paidMs: nowMs, intent: intent.id })
  tell(books, shop, 'invoice.paid', renderInvoice(invoice, 'none'), nowMs)
}

/** docs/spec-gaps.md: not-found ends a charge after three answers; the worker's rounds are farther apart than its two minutes. */
const ABSENCES_MAX = 3

/** One round of the worker's settlement: every charge that can still change is asked for once. */
export function settle(books: Books, nowMs: number): void {
  for (const shop of books.shops.values())
    for (const intent of shop.intents)
      for (const charge of intent.charges) settleCharge({ books, shop, nowMs }, intent, charge)
}

function settleCharge(place: Place, intent: Intent, charge: Charge): void {
  const { state, fate } = charge
  if (state === 'succeeded' || state === 'duplicate') return
  if (fate.kind === 'paid') return succeed(place, intent, charge)
  if (!isOpen(charge)) return
  switch (fate.kind) {
    case 'refused':
      return fail(place, intent, charge)
    case 'pending':
      charge.state = 'live'
      if (intent.status === 'requires_payment_method') intent.status = 'processing'
      return
    case 'absent':
      charge.absences += 1
      if (charge.absences >= ABSENCES_MAX) fail(place, intent, charge)
  }
}

/** A charge that waits for its payer. */
export const isPending = ({ state, fate }: Charge): boolean => state === 'live' && fate.kind === 'pending'

/** A refusal that a success will follow (spec 1.5). */
export const isLate = ({ fate }: Charge): boolean => fate.kind === 'refused' && fate.late

/** The successes come that the rail had first refused. */
export function payLate(books: Books, paid: Fate): void {
  for (const { intents } of books.shops.values())
    for (const charge of intents.flatMap(({ charges }) => charges)) if (isLate(charge)) charge.fate = paid
}
