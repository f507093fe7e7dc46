import { isOpen } from '../books/charges.ts'
import type { Pair } from '../books/form.ts'
import { secretOf, type Shop } from '../books/state.ts'
import { aim, ask, type Desk, filters, list, metadataPairs, on, type Plan, some, spoiled } from './desk.ts'
import { intentPairs, isWaiting } from './payment-intents.ts'

const HALF_HOUR_SEC = 1_800

const faults: readonly Pair[] = [
  ['ui_mode', 'popup'],
  ['success_url', 'shop.example'],
  ['success_url', 'https:shop.test'],
  ['cancel_url', 'https://shop.test\\cart'],
  ['expires_at', '1'],
  ['line_items', 'x'],
  ['payment_intent_data', 'x'],
  ['capture_method', 'manual'],
  ['transfer_data', 'x'],
  ['locale', 'de'],
  ['amount', '0'],
]

function sessionPairs(desk: Desk): readonly Pair[] {
  const { dice, nowSec } = desk
  const uiMode = dice.pick(['hosted', 'hosted', 'embedded', 'hosted_page', 'embedded_page'])
  const isHosted = uiMode.startsWith('hosted')
  const subject = dice.chance(0.5) ? adopted(desk) : null
  const pairs: Pair[] = [
    ...(subject ?? intentPairs(desk).filter(([name]) => !name.startsWith('metadata'))),
    ['ui_mode', uiMode],
    ...metadataPairs(dice),
    ...some(dice, [
      [isHosted ? 0.97 : 0.3, ['success_url', 'https://shop.test/thanks?session={CHECKOUT_SESSION_ID}']],
      [0.3, ['cancel_url', 'https://shop.test/cart']],
      [0.2, ['return_url', 'https://shop.test/back']],
      [0.3, ['client_reference_id', 'cart-7']],
      [0.2, ['locale', 'en']],
      [0.4, ['expires_at', `${nowSec + HALF_HOUR_SEC}`]],
    ]),
  ]
  return spoiled(dice, pairs, faults)
}

/** An intent of the merchant's own, with something said of it again, now and then. */
function adopted(desk: Desk): Pair[] | null {
  const { dice, shop } = desk
  const hasSession = (id: string) => shop.sessions.some(({ intent }) => intent === id)
  const isFree = (id: string) => {
    const intent = shop.intents.find((one) => one.id === id)
    return isWaiting(shop, id) && !hasSession(id) && intent?.invoice === null
  }
  const id = aim(desk, 'pi', isFree)
  if (id === null) return null
  const amount = shop.intents.find((one) => one.id === id)?.amount ?? 1
  return [
    ['payment_intent', id],
    ...some(dice, [
      [0.1, ['amount', `${amount}`]],
      [0.1, ['currency', 'XAF']],
      [0.05, ['description', 'Order 8']],
    ]),
  ]
}

const isExpirable = ({ shop }: Desk, id: string): boolean => {
  const session = shop.sessions.find((one) => one.id === id)
  return session?.status === 'open' && !chargesOf(shop, session.intent).some(isOpen)
}

const chargesOf = ({ intents }: Shop, id: string) => intents.find((one) => one.id === id)?.charges ?? []

export const sessionPlans = {
  'checkout.sessions.create': (desk) => ask(desk, 'checkout.sessions.create', { pairs: sessionPairs(desk) }),
  'checkout.sessions.retrieve': on('cs', 'checkout.sessions.retrieve'),
  'checkout.sessions.list': list(
    'cs',
    'checkout.sessions.list',
    filters({ payment_intent: 'pi', customer: 'cus' }, ['open', 'complete', 'expired']),
  ),
  'checkout.sessions.expire': on('cs', 'checkout.sessions.expire', isExpirable),
  'browser.checkout.sessions.retrieve': (desk) => {
    const id = aim(desk, 'cs')
    if (id === null) return null
    const isOwn = desk.shop.sessions.some((one) => one.id === id)
    const secret = isOwn && !desk.dice.chance(0.06) ? secretOf(id) : 'nonsense'
    return ask(desk, 'browser.checkout.sessions.retrieve', { id, secret })
  },
} as const satisfies Record<string, Plan>
