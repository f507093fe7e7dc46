import { methodsOf } from '@merchant-payments/contract'
import { browserOperations, operations } from '../../v1/operations.ts'
import type { Pair } from '../books/form.ts'
import type { Ask } from '../books/judge.ts'
import type { OperationId } from '../books/operations.ts'
import type { Books, Kind, Shop } from '../books/state.ts'
import type { Dice } from './dice.ts'

/** Where a merchant decides what to ask for next: with the books open, so that much of it succeeds. */
export interface Desk {
  readonly books: Books
  readonly shop: Shop
  readonly other: Shop
  readonly dice: Dice
  readonly nowSec: number
  /** Every request so far that had a key. */
  readonly asked: readonly Ask[]
}

/** A request, or null where there is nothing to ask it of. */
export type Plan = (desk: Desk) => Ask | null

const declared = new Map([...operations, ...browserOperations].map((operation) => [operation.id, operation]))

/** Shares of requests that are wrong, each in one way. */
const SPOILED = 0.06
const STRANGE_ID = 0.03
const WITHOUT_KEY = 0.005
const UNUSUAL = 0.3

/** A request of an operation, with a key of its own where it takes one. */
export function ask(
  { shop, dice, asked }: Desk,
  operation: OperationId,
  { id = '', pairs = [], secret = null, throttled = false }: Partial<Ask> = {},
): Ask {
  const declaration = declared.get(operation)
  if (declaration === undefined) throw new Error(`the contract has no ${operation}`)
  const method = dice.pick(methodsOf(declaration))
  const takesKey = method === 'POST' || method === 'PATCH'
  const key = takesKey && !dice.chance(WITHOUT_KEY) ? `key-${asked.length}` : null
  return { operation, shop: shop.name, method, path: declaration.path, id, pairs, key, secret, throttled }
}

/** One of the parameters is replaced by a wrong one, now and then. */
export function spoiled(dice: Dice, pairs: readonly Pair[], faults: readonly Pair[]): readonly Pair[] {
  if (!dice.chance(SPOILED)) return pairs
  const [name, value] = dice.pick(faults)
  return [...pairs.filter(([sent]) => sent !== name), [name, value]]
}

const kept: { readonly [K in Exclude<Kind, 'ii'>]: (shop: Shop) => readonly { readonly id: string }[] } = {
  cus: ({ customers }) => customers,
  pi: ({ intents }) => intents,
  cs: ({ sessions }) => sessions,
  in: ({ invoices }) => invoices,
  re: ({ refunds }) => refunds,
  evt: ({ told }) => told,
}

const idsOf = (shop: Shop, kind: Kind): readonly string[] =>
  kind === 'ii'
    ? shop.invoices.flatMap(({ items }) => items.map(({ id }) => id))
    : kept[kind](shop).map(({ id }) => id)

/** An id to ask for: mostly one of the operation's kind, sometimes any, rarely one that the shop does not have. */
export function aim(desk: Desk, kind: Kind, isMeant: (id: string) => boolean = () => true): string | null {
  const { dice, shop, other } = desk
  if (dice.chance(STRANGE_ID)) {
    const nobodys = [`⟨${kind} 0⟩`, 'nonsense']
    return dice.pick([idsOf(other, kind).at(-1) ?? `⟨${kind} 0⟩`, ...nobodys])
  }
  const ids = idsOf(shop, kind)
  if (ids.length === 0) return null
  const meant = ids.filter(isMeant)
  if (dice.chance(UNUSUAL)) return newest(dice, ids)
  return meant.length === 0 ? null : newest(dice, meant)
}

/** Mostly one of the latest: what was made lately is what is worked with. */
export const newest = <T>(dice: Dice, among: readonly T[]): T => {
  const picked = among[among.length - 1 - Math.floor(dice.roll() ** 3 * among.length)]
  if (picked === undefined) throw new RangeError('nothing to pick from')
  return picked
}

/** A plan for an operation on one object. */
export const on =
  (
    kind: Kind,
    operation: OperationId,
    isMeant: (desk: Desk, id: string) => boolean = () => true,
    pairs: (desk: Desk, id: string) => readonly Pair[] = () => [],
  ): Plan =>
  (desk) => {
    const id = aim(desk, kind, (one) => isMeant(desk, one))
    return id === null ? null : ask(desk, operation, { id, pairs: pairs(desk, id) })
  }

/** A plan for a page of a list. */
export const list =
  (kind: Kind, operation: OperationId, filters: (desk: Desk) => readonly Pair[] = () => []): Plan =>
  (desk) => {
    const { dice, shop } = desk
    const pairs: Pair[] = [...filters(desk)]
    if (dice.chance(0.7)) pairs.push(['limit', `${dice.int(1, 5)}`])
    const ids = idsOf(shop, kind)
    if (ids.length > 0 && dice.chance(0.6)) {
      pairs.push([dice.pick(['starting_after', 'ending_before']), dice.pick(ids)])
    }
    const faults: Pair[] = [
      ['limit', '0'],
      ['limit', '101'],
      ['starting_after', 'nonsense'],
      ['email', 'awa@shop.example'],
      ['status', 'nonsense'],
    ]
    return ask(desk, operation, { pairs: spoiled(dice, pairs, faults) })
  }

/** Filters of a list, each now and then. */
export const filters =
  (named: Partial<Record<string, Kind>>, statuses: readonly string[] = []) =>
  ({ dice, shop, nowSec }: Desk): readonly Pair[] => {
    const ids = Object.entries(named).flatMap(([name, kind]): Pair[] => {
      const known = kind === undefined ? [] : idsOf(shop, kind)
      return dice.chance(0.2) ? [[name, dice.pick([...known.slice(-3), `⟨${kind} 0⟩`])]] : []
    })
    return [
      ...ids,
      ...(statuses.length > 0 && dice.chance(0.25) ? ([['status', dice.pick(statuses)]] as const) : []),
      ...some(dice, [[0.15, [dice.pick(['created[gte]', 'created[lt]']), `${nowSec - 600}`]]]),
    ]
  }

export const metadataPairs = (dice: Dice): readonly Pair[] =>
  dice.pick<readonly Pair[]>([
    [],
    [['metadata[order]', '7']],
    [
      ['metadata[order]', ''],
      ['metadata[tier]', 'gold & more'],
    ],
  ])

export const badMetadata: Pair = [`metadata[${'k'.repeat(41)}]`, 'v']

/** Each with its chance. */
export const some = (dice: Dice, chances: readonly (readonly [share: number, pair: Pair])[]): Pair[] =>
  chances.filter(([share]) => dice.chance(share)).map(([, pair]) => pair)

export const PHONES = ['237670000001', '+237 6 99 00 11 22', '670-000-003', 'tel:00237670000004'] as const
