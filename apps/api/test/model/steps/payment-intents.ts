import { isLate, isOpen } from '../books/charges.ts'
import type { Pair } from '../books/form.ts'
import type { OperationId } from '../books/operations.ts'
import type { Intent } from '../books/objects.ts'
import { pushEndings, type RailCode, rails } from '../books/rails.ts'
import { secretOf, type Shop } from '../books/state.ts'
import {
  aim,
  ask,
  badMetadata,
  type Desk,
  list,
  metadataPairs,
  on,
  type Plan,
  some,
  spoiled,
} from './desk.ts'
import { holderPairs } from './others.ts'

const THROTTLED = 0.06

/** Amounts with the endings by which Orange's mock decides (tools/mock-rails/README.md). */
const amounts = [5_000, 1, 12_345, 99_999_999, 7_491, 3_482, 2_484] as const

const offers: readonly (readonly string[])[] = [
  ['mtn_momo_cm'],
  ['mtn_momo_cm', 'orange_money_cm'],
  ['orange_money_cm'],
  ['mtn_momo_cm', 'mtn_momo_eu', 'mtn_momo_cm'],
]

const intentFaults: readonly Pair[] = [
  ['amount', '0'],
  ['amount', '1.5'],
  ['currency', 'USD'],
  ['payment_method_types[]', 'cheque'],
  ['confirm', 'true'],
  ['capture_method', 'manual'],
  ['on_behalf_of', 'acct'],
  badMetadata,
]

/** What an intent is made of. */
export function intentPairs(desk: Desk): Pair[] {
  const { dice } = desk
  const isEuro = dice.chance(0.1)
  const codes = isEuro ? ['mtn_momo_eu'] : dice.pick(offers)
  const customer = dice.chance(0.4) ? aim(desk, 'cus', isLiving(desk.shop)) : null
  return [
    ['amount', `${dice.pick(amounts)}`],
    ['currency', isEuro ? 'eur' : 'XAF'],
    ...codes.map((code): Pair => ['payment_method_types[]', code]),
    ...(customer === null ? [] : ([['customer', customer]] as const)),
    ...some(dice, [[0.3, ['description', 'Order 7']]]),
    ...metadataPairs(dice),
  ]
}

export const isLiving = (shop: Shop) => (id: string) =>
  shop.customers.some((one) => one.id === id && one.erasedMs === null)

const intentOf = (shop: Shop, id: string) => shop.intents.find((one) => one.id === id)

export const isWaiting = (shop: Shop, id: string): boolean => {
  const intent = intentOf(shop, id)
  return intent?.status === 'requires_payment_method' && !intent.charges.some(isOpen)
}

const confirmFaults: readonly Pair[] = [
  ['payment_method_data[cheque][msisdn]', '1'],
  ['transfer_data', 'x'],
  ['customer', '⟨cus 0⟩'],
]

/** A confirm by a rail of the intent, mostly, and by a payer who does what the books can tell. */
function confirmPairs(desk: Desk, id: string): readonly Pair[] {
  const { dice, shop } = desk
  const intent = intentOf(shop, id)
  const rail = railFor(desk, intent)
  if (rails[rail].flow === 'redirect') {
    const page: Pair[] = [[`payment_method_data[${rail}]`, '']]
    if (!dice.chance(0.05)) page.push(['return_url', 'https://shop.example/back'])
    return page
  }
  const ending = dice.pick(Object.keys(pushEndings))
  const number = `237670000${ending === '480' && hasLate(shop, intent) ? '470' : ending}`
  const pairs: Pair[] = [[`payment_method_data[${rail}][msisdn]`, dice.chance(0.02) ? '' : number]]
  const customer = dice.chance(0.15) ? (intent?.customer ?? aim(desk, 'cus', isLiving(shop))) : null
  if (customer !== null) pairs.push(['customer', customer])
  return spoiled(dice, pairs, confirmFaults)
}

function railFor({ dice }: Desk, intent: Intent | undefined): RailCode {
  const all = Object.keys(rails) as RailCode[]
  const usable = all.filter(
    (code) => intent?.rails.includes(code) === true && rails[code].currency === intent.currency,
  )
  return dice.chance(0.08) || usable.length === 0 ? dice.pick(all) : dice.pick(usable)
}

/** Two late successes for one invoice would come in an order of their own, which decides who has paid it. */
const hasLate = (shop: Shop, intent: Intent | undefined): boolean =>
  intent?.invoice !== null &&
  shop.intents.some(({ invoice, charges }) => invoice === intent?.invoice && charges.some(isLate))

const confirmAs =
  (operation: 'paymentIntents.confirm'): Plan =>
  (desk) => {
    const id = aim(desk, 'pi', (one) => isWaiting(desk.shop, one))
    if (id === null) return null
    return ask(desk, operation, { id, pairs: confirmPairs(desk, id), throttled: desk.dice.chance(THROTTLED) })
  }

/** A payer shows a secret that the merchant was given, of the intent or of its session, or a wrong one. */
function asPayer(
  desk: Desk,
  operation: OperationId & `browser.${string}`,
  pairs: (id: string) => readonly Pair[],
) {
  const { shop, dice } = desk
  const session = (id: string) => shop.sessions.find(({ intent }) => intent === id)
  const secrets = (id: string) => [
    ...(intentOf(shop, id)?.secretShown ? [secretOf(id)] : []),
    ...(session(id) === undefined ? [] : [secretOf(session(id)?.id ?? '')]),
  ]
  const id = aim(desk, 'pi', (one) => secrets(one).length > 0 && isWaiting(shop, one))
  if (id === null) return null
  const known = secrets(id)
  const secret = known.length === 0 || dice.chance(0.06) ? 'nonsense' : dice.pick(known)
  // The path of a look-up has no id: whose payment it is stands in the secret.
  const inPath = operation === 'browser.accountHolders.retrieve' ? {} : { id }
  return ask(desk, operation, { ...inPath, pairs: pairs(id), secret })
}

export const intentPlans = {
  'paymentIntents.create': (desk) =>
    ask(desk, 'paymentIntents.create', { pairs: spoiled(desk.dice, intentPairs(desk), intentFaults) }),
  'paymentIntents.retrieve': on('pi', 'paymentIntents.retrieve'),
  'paymentIntents.list': list('pi', 'paymentIntents.list'),
  'paymentIntents.confirm': confirmAs('paymentIntents.confirm'),
  'paymentIntents.cancel': on(
    'pi',
    'paymentIntents.cancel',
    ({ shop }, id) => /^requires|^processing/.test(intentOf(shop, id)?.status ?? ''),
    ({ dice }) =>
      dice.pick<readonly Pair[]>([
        [],
        [['cancellation_reason', 'abandoned']],
        [['cancellation_reason', dice.chance(0.2) ? 'boredom' : 'duplicate']],
      ]),
  ),
  'browser.paymentIntents.retrieve': (desk) => asPayer(desk, 'browser.paymentIntents.retrieve', () => []),
  'browser.paymentIntents.confirm': (desk) =>
    asPayer(desk, 'browser.paymentIntents.confirm', (id) => confirmPairs(desk, id)),
  'browser.accountHolders.retrieve': (desk) =>
    asPayer(desk, 'browser.accountHolders.retrieve', () => holderPairs(desk)),
} as const satisfies Record<string, Plan>
