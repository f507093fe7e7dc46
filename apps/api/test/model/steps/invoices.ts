import { isOpen } from '../books/charges.ts'
import type { Pair } from '../books/form.ts'
import type { Invoice } from '../books/objects.ts'
import { totalOf } from '../books/render.ts'
import type { Shop } from '../books/state.ts'
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
import { isLiving } from './payment-intents.ts'

const invoiceOf = ({ invoices }: Shop, id: string) => invoices.find((one) => one.id === id)

const isIn =
  (...statuses: readonly Invoice['status'][]) =>
  ({ shop }: Desk, id: string): boolean => {
    const status = invoiceOf(shop, id)?.status
    return status !== undefined && statuses.includes(status)
  }

const isBillable = ({ shop }: Desk, id: string): boolean => {
  const invoice = invoiceOf(shop, id)
  return invoice?.status === 'draft' && totalOf(invoice) >= 1
}

export const isPayable = (shop: Shop, id: string): boolean =>
  ['open', 'uncollectible'].includes(invoiceOf(shop, id)?.status ?? '') &&
  !shop.intents.some(({ invoice, charges }) => invoice === id && charges.some(isOpen))

const mayBePaid = ({ shop }: Desk, id: string): boolean => isPayable(shop, id)

const faults: readonly Pair[] = [
  ['currency', 'USD'],
  ['due_date', 'soon'],
  ['days_until_due', '366'],
  ['payment_method_types[]', 'cheque'],
  badMetadata,
]

const termPairs = (desk: Desk): Pair[] => [
  ...some(desk.dice, [
    [0.2, ['days_until_due', '30']],
    [0.2, ['payment_method_types[]', desk.dice.pick(['mtn_momo_cm', 'mtn_momo_eu', 'orange_money_cm'])]],
  ]),
]

const wordPairs = ({ dice }: Desk): Pair[] => [
  ...some(dice, [[0.4, ['description', dice.pick(['March', 'April', ''])]]]),
  ...metadataPairs(dice),
]

const itemFaults: readonly Pair[] = [
  ['amount', '0'],
  ['unit_amount', '1.5'],
  ['quantity', '0'],
  ['currency', 'USD'],
]

const pricePairs = ({ dice }: Desk): readonly Pair[] =>
  dice.pick<readonly Pair[]>([
    [['amount', '5000']],
    [['amount', '-400']],
    [
      ['unit_amount', '250'],
      ['quantity', '3'],
    ],
    [['unit_amount', '99999999']],
    [
      ['unit_amount', '99999999'],
      ['quantity', dice.pick(['1', '2'])],
    ],
  ])

const isDraftLine = ({ shop }: Desk, id: string): boolean =>
  shop.invoices.some(({ status, items }) => status === 'draft' && items.some((one) => one.id === id))

export const invoicePlans = {
  'invoices.create': (desk) => {
    const customer = aim(desk, 'cus', isLiving(desk.shop))
    if (customer === null) return null
    const currency = desk.dice.pick(['XAF', 'XAF', 'xaf', 'EUR'])
    const pairs: Pair[] = [
      ['customer', customer],
      ['currency', currency],
      ...termPairs(desk),
      ...wordPairs(desk).filter(([, value]) => value !== ''),
    ]
    return ask(desk, 'invoices.create', { pairs: spoiled(desk.dice, pairs, faults) })
  },
  'invoices.update': on('in', 'invoices.update', isIn('draft', 'open'), (desk, id) => {
    const isDraft = isIn('draft')(desk, id)
    const terms = isDraft || desk.dice.chance(0.2) ? termPairs(desk) : []
    const clearing: Pair = desk.dice.pick([
      ['due_date', ''],
      ['payment_method_types', ''],
    ])
    const cleared = isDraft && terms.length === 0 && desk.dice.chance(0.2) ? [clearing] : []
    return spoiled(
      desk.dice,
      [...terms, ...cleared, ...wordPairs(desk)],
      isDraft ? faults.slice(1, 3) : [badMetadata],
    )
  }),
  'invoices.retrieve': on('in', 'invoices.retrieve'),
  'invoices.list': list(
    'in',
    'invoices.list',
    filters({ customer: 'cus' }, ['draft', 'open', 'paid', 'void', 'uncollectible']),
  ),
  'invoices.del': on('in', 'invoices.del', isIn('draft')),
  'invoices.finalizeInvoice': on('in', 'invoices.finalizeInvoice', isBillable),
  'invoices.pay': on('in', 'invoices.pay', mayBePaid),
  'invoices.voidInvoice': on('in', 'invoices.voidInvoice', mayBePaid),
  'invoices.markUncollectible': on('in', 'invoices.markUncollectible', isIn('open')),
  'invoiceItems.create': (desk) => {
    const { dice, shop } = desk
    const invoice = aim(desk, 'in', (id) => isIn('draft')(desk, id))
    if (invoice === null) return null
    const { customer, currency } = invoiceOf(shop, invoice) ?? { customer: '⟨cus 0⟩', currency: 'XAF' }
    const pairs: Pair[] = [
      ['invoice', invoice],
      ...pricePairs(desk),
      ...some(dice, [
        [0.1, ['customer', dice.chance(0.3) ? '⟨cus 0⟩' : customer]],
        [0.1, ['currency', dice.chance(0.3) ? 'EUR' : currency]],
        [0.3, ['description', 'Bread']],
      ]),
      ...metadataPairs(dice),
    ]
    return ask(desk, 'invoiceItems.create', { pairs: spoiled(dice, pairs, itemFaults) })
  },
  'invoiceItems.update': on('ii', 'invoiceItems.update', isDraftLine, (desk) =>
    spoiled(
      desk.dice,
      desk.dice.pick([pricePairs(desk), [['quantity', '2']], wordPairs(desk), []]),
      itemFaults.slice(0, 3),
    ),
  ),
  'invoiceItems.retrieve': on('ii', 'invoiceItems.retrieve'),
  'invoiceItems.del': on('ii', 'invoiceItems.del', isDraftLine),
} as const satisfies Record<string, Plan>
