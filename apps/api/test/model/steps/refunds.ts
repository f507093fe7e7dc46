import type { Pair } from '../books/form.ts'
import type { Intent } from '../books/objects.ts'
import { leftOf } from '../books/refunds.ts'
import {
  aim,
  ask,
  badMetadata,
  type Desk,
  filters,
  list,
  metadataPairs,
  on,
  type Plan,
  some,
  spoiled,
} from './desk.ts'

const THROTTLED = 0.1

/** Endings of payees of the mock: paid, refused, and paid with the answer lost. */
const payees = ['001', '001', '455', '457', '482', '483'] as const

const faults: readonly Pair[] = [
  ['amount', '-5'],
  ['reason', 'boredom'],
  ['charge', 'ch_1'],
  ['payment_intent', 'nonsense'],
  badMetadata,
]

function refundPairs(desk: Desk, id: string, intent: Intent | undefined): readonly Pair[] {
  const { dice, shop } = desk
  const taker = intent?.charges.find(({ state }) => state === 'succeeded')?.rail ?? 'mtn_momo_cm'
  const rail = dice.chance(0.06) ? dice.pick(['orange_money_cm', 'mtn_momo_eu', 'cheque']) : taker
  const left = intent === undefined ? 1 : leftOf(shop, intent)
  const amount = dice.pick([null, 1, Math.ceil(left / 2), left + 1])
  const isAmount = amount !== null && amount > 0 && amount <= 99_999_999
  return spoiled(
    dice,
    [
      ['payment_intent', id],
      ...(isAmount ? ([['amount', `${amount}`]] as const) : []),
      [`destination[${rail}][msisdn]`, dice.chance(0.03) ? '' : `237670000${dice.pick(payees)}`],
      ...some(dice, [[0.3, ['reason', 'duplicate']]]),
      ...metadataPairs(dice),
    ],
    faults,
  )
}

export const refundPlans = {
  'refunds.create': (desk) => {
    const { dice, shop } = desk
    const intentOf = (id: string) => shop.intents.find((one) => one.id === id)
    const isRefundable = (id: string) => {
      const intent = intentOf(id)
      return intent?.status === 'succeeded' && leftOf(shop, intent) > 0
    }
    const id = aim(desk, 'pi', isRefundable)
    if (id === null) return null
    const pairs = refundPairs(desk, id, intentOf(id))
    return ask(desk, 'refunds.create', { pairs, throttled: dice.chance(THROTTLED) })
  },
  'refunds.retrieve': on('re', 'refunds.retrieve'),
  'refunds.list': list('re', 'refunds.list', filters({ payment_intent: 'pi' })),
  'refunds.update': on(
    're',
    'refunds.update',
    () => true,
    ({ dice }) => spoiled(dice, metadataPairs(dice), [['amount', '1'], badMetadata, ['expand[]', 'x']]),
  ),
  'refunds.cancel': on('re', 'refunds.cancel'),
} as const satisfies Record<string, Plan>
