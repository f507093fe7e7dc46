import type { Pair } from '../books/form.ts'
import { ask, type Desk, list, newest, on, PHONES, type Plan, spoiled } from './desk.ts'

const types = ['customer.*', 'invoice.paid', 'payment_intent.*', 'charge.refunded', 'invoice.payment_failed']

/** Whose account a number is. */
export function holderPairs({ dice }: Desk): readonly Pair[] {
  const pairs: Pair[] = [
    ['payment_method_type', dice.pick(['mtn_momo_cm', 'mtn_momo_cm', 'mtn_momo_eu', 'orange_money_cm'])],
    ['msisdn', dice.pick([...PHONES, '237670000450', '237670000451', '237670000454'])],
  ]
  const faults: Pair[] = [
    ['payment_method_type', 'cheque'],
    ['msisdn', '12'],
  ]
  return spoiled(dice, pairs, faults)
}

export const otherPlans = {
  'events.retrieve': on('evt', 'events.retrieve'),
  'events.list': list('evt', 'events.list', ({ dice, nowSec }) =>
    dice.pick<readonly Pair[]>([
      [],
      [['type', dice.pick(types)]],
      [
        ['types[]', dice.pick(types)],
        ['types[]', dice.pick(types)],
      ],
      [['created[gte]', `${nowSec - 600}`]],
      [['created[lt]', `${nowSec - 600}`]],
    ]),
  ),
  'accountHolders.retrieve': (desk) => ask(desk, 'accountHolders.retrieve', { pairs: holderPairs(desk) }),
} as const satisfies Record<string, Plan>

/** A request that was asked before: again, changed in a word, or with its key in another merchant's hands (spec 8). */
export const repeat: Plan = (desk) => {
  const { dice, asked, shop, other } = desk
  const mine = asked.filter((one) => one.shop === shop.name)
  if (mine.length === 0) return null
  const before = { ...newest(dice, mine), throttled: false }
  if (dice.chance(0.25)) return { ...before, pairs: [...before.pairs, ['metadata[again]', '1']] }
  if (dice.chance(0.05) && before.secret === null) return { ...before, shop: other.name }
  return before
}
