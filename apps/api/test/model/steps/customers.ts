import type { Pair } from '../books/form.ts'
import { ask, badMetadata, list, metadataPairs, on, PHONES, type Plan, some, spoiled } from './desk.ts'
import type { Dice } from './dice.ts'

const faults: readonly Pair[] = [
  ['phone', '12'],
  ['address[country]', 'Cameroon'],
  ['address[latitude_microdeg]', '4.05'],
  ['address[longitude_microdeg]', '180000001'],
  badMetadata,
]

const factPairs = (dice: Dice): Pair[] => [
  ...some(dice, [
    [0.5, ['name', dice.pick(['Awa Ngo', 'Émile + Bih', 'Sa & Co'])]],
    [0.4, ['email', dice.pick(['awa@shop.example', 'emile@shop.example'])]],
    [0.5, ['phone', dice.pick(PHONES)]],
  ]),
  ...dice.pick(addresses),
  ...metadataPairs(dice),
]

const addresses: readonly (readonly Pair[])[] = [
  [],
  [
    ['address[line1]', 'Rue 1'],
    ['address[country]', 'cm'],
  ],
  [
    ['address[city]', 'Douala'],
    ['address[latitude_microdeg]', '4050000'],
    ['address[longitude_microdeg]', '-9700000'],
  ],
  [['address[line2]', '']],
]

/** Spec 4.4.1: an empty value clears. */
const clearings: readonly Pair[] = [
  ['name', ''],
  ['email', ''],
  ['phone', ''],
  ['address', ''],
]

export const customerPlans = {
  'customers.create': (desk) =>
    ask(desk, 'customers.create', { pairs: spoiled(desk.dice, factPairs(desk.dice), faults) }),
  'customers.update': on(
    'cus',
    'customers.update',
    ({ shop }, id) => shop.customers.some((one) => one.id === id && one.erasedMs === null),
    ({ dice }) =>
      spoiled(dice, dice.pick([factPairs(dice), [dice.pick(clearings)], [], factPairs(dice)]), faults),
  ),
  'customers.retrieve': on('cus', 'customers.retrieve'),
  'customers.del': on('cus', 'customers.del'),
  'customers.list': list('cus', 'customers.list'),
} as const satisfies Record<string, Plan>
