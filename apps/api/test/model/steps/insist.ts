import { judge, type Ask } from '../books/judge.ts'
import type { Intent } from '../books/objects.ts'
import { type Books, secretOf, type Shop } from '../books/state.ts'
import { isPayable } from './invoices.ts'
import { isLiving } from './payment-intents.ts'
import type { Happening, World } from './world.ts'

const RAIL = 'mtn_momo_cm'
/** The rail has no account for it, and says so at once. */
const NOBODYS_NUMBER = '237670000455'
/** Beyond the charges that a payer may open, and beyond the keys that may be left behind. */
const TIMES = { charges: 12, keys: 55 } as const

/** Without a charge: the worker's passes take few charges of one intent at once. */
const mayBeTried =
  (shop: Shop) =>
  ({ status, charges, rails, currency, invoice, customer, secretShown }: Intent): boolean =>
    status === 'requires_payment_method' &&
    charges.length === 0 &&
    rails.includes(RAIL) &&
    currency === 'XAF' &&
    (invoice === null || isPayable(shop, invoice)) &&
    (customer === null || isLiving(shop)(customer)) &&
    secretShown

const places = ({ shops }: Books): { shop: Shop; intent: Intent }[] =>
  [...shops.values()].flatMap((shop) =>
    shop.intents.filter(mayBeTried(shop)).map((intent) => ({ shop, intent })),
  )

/** Somebody tries one number after another on one payment's link; what was answered first is answered again. */
async function come({ books, service, dice }: World): Promise<void> {
  const { shop, intent } = dice.pick(places(books))
  const times = TIMES[dice.chance(0.3) ? 'keys' : 'charges']
  const first = service.exchanges
  const ask = (nth: number): Ask => ({
    operation: 'browser.paymentIntents.confirm',
    shop: shop.name,
    method: 'POST',
    path: '/v1/browser/payment_intents/{id}/confirm',
    id: intent.id,
    pairs: [[`payment_method_data[${RAIL}][msisdn]`, NOBODYS_NUMBER]],
    key: `insist-${first}-${nth}`,
    secret: secretOf(intent.id),
    throttled: false,
  })
  for (let nth = 0; nth <= times; nth += 1) {
    const one = ask(nth % times)
    const judgement = judge(books, one, service.nowMs, service.exchanges)
    const { verdict, replayOf } = judgement
    if (nth === times - 1 && !('code' in verdict && verdict.code === 'too_many_attempts'))
      throw new Error('the books set no limit')
    if (nth === times && replayOf === null) throw new Error('the books forgot an answer')
    await service.exchange(one, judgement)
  }
}

export const insist: Happening = { mayCome: (books) => places(books).length > 0, come }
