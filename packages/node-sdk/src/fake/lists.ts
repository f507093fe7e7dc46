import type { CheckoutSessionStatus, InvoiceStatus } from '../wire.ts'
import { type Form, textOf, valuesOf } from './parse-form.ts'
import { invalid } from './values.ts'

const LIMIT_DEFAULT = 10
const LIMIT_MAX = 100

interface Row {
  readonly id: string
  readonly created: number
}

type Passes = (row: Row) => boolean

/** Reads a value of a filter. Throws a refusal for one that the service refuses. */
type Filter = (name: string, value: string | Form) => Passes

const valueOf = (row: Row, name: string): unknown => (row as unknown as Record<string, unknown>)[name]

/** An unknown id matches nothing. */
const idFilter =
  (prefix: string): Filter =>
  (name, value) => {
    if (!isId(prefix, value)) throw invalid(name, `must be an id (${prefix}_…)`)
    return (row) => valueOf(row, name) === value
  }

export const isId = (prefix: string, value: string | Form): boolean =>
  typeof value === 'string' && value.startsWith(`${prefix}_`) && /^[a-z]+_[0-9a-f]{32}$/.test(value)

const wordFilter =
  (words: readonly string[]): Filter =>
  (name, value) => {
    if (typeof value !== 'string' || !words.includes(value)) {
      throw invalid(name, `must be one of ${words.join(', ')}`)
    }
    return (row) => valueOf(row, name) === value
  }

const bounds: Readonly<Record<string, (created: number, bound: number) => boolean>> = {
  gt: (created, bound) => created > bound,
  gte: (created, bound) => created >= bound,
  lt: (created, bound) => created < bound,
  lte: (created, bound) => created <= bound,
}

const createdFilter: Filter = (name, value) => {
  const given = typeof value === 'string' ? Object.entries({ gte: value, lte: value }) : Object.entries(value)
  const held = given.map(([bound, text]): Passes => {
    const param = typeof value === 'string' ? name : `${name}[${bound}]`
    const holds = bounds[bound]
    if (holds === undefined) throw invalid(param, 'must be gt, gte, lt or lte')
    if (typeof text !== 'string' || !/^\d{1,10}$/.test(text)) {
      throw invalid(param, 'must be an instant in Unix seconds')
    }
    return ({ created }) => holds(created, Number(text))
  })
  return (row) => held.every((passes) => passes(row))
}

/** One type, or a list of types. A type that does not exist matches nothing. */
const typesFilter: Filter = (name, value) => {
  const types = name === 'type' ? [textOf(value)].filter((type) => type !== null) : valuesOf(value)
  if (types.length === 0) throw invalid(name, 'must not be empty')
  return (row) => types.some((type) => isOfType(String(valueOf(row, 'type')), type))
}

/** A filter is a type, or a group such as `invoice.*`. */
const isOfType = (type: string, filter: string): boolean =>
  filter.endsWith('.*') ? type.startsWith(filter.slice(0, -1)) : type === filter

const sessionStatuses: readonly CheckoutSessionStatus[] = ['open', 'complete', 'expired']
const invoiceStatuses: readonly InvoiceStatus[] = ['draft', 'open', 'paid', 'uncollectible', 'void']

interface List {
  /** The prefix of the ids in the list. */
  readonly prefix: string
  readonly filters: Readonly<Record<string, Filter>>
}

const lists = {
  '/v1/payment_intents': { prefix: 'pi', filters: {} },
  '/v1/customers': { prefix: 'cus', filters: {} },
  '/v1/refunds': { prefix: 're', filters: { payment_intent: idFilter('pi'), created: createdFilter } },
  '/v1/invoices': {
    prefix: 'in',
    filters: { customer: idFilter('cus'), status: wordFilter(invoiceStatuses), created: createdFilter },
  },
  '/v1/checkout/sessions': {
    prefix: 'cs',
    filters: {
      payment_intent: idFilter('pi'),
      customer: idFilter('cus'),
      status: wordFilter(sessionStatuses),
      created: createdFilter,
    },
  },
  '/v1/events': {
    prefix: 'evt',
    filters: { type: typesFilter, types: typesFilter, created: createdFilter },
  },
} as const satisfies Record<string, List>

/** The compatible API's `expand` is ignored (spec 4.3.4). */
const paging = ['limit', 'starting_after', 'ending_before', 'expand']

/**
 * One page, newest first in both directions (spec 2.1). As in the service, a cursor is a place in the order of ids: its row
 * may be gone, or may not pass the filters.
 */
export function listRows(url: keyof typeof lists, rows: readonly Row[], form: Form): object {
  const { prefix, filters }: List = lists[url]
  const unknown = Object.keys(form).find((name) => !paging.includes(name) && !Object.hasOwn(filters, name))
  if (unknown !== undefined) throw invalid(unknown, 'is not a parameter of this list')
  const limit = limitOf(form)
  const after = cursorOf(prefix, 'starting_after', form)
  const before = cursorOf(prefix, 'ending_before', form)
  const passes = Object.entries(filters).flatMap(([name, filter]) => {
    const value = form[name]
    return value === undefined ? [] : [filter(name, value)]
  })
  if (form['type'] !== undefined && form['types'] !== undefined) {
    throw invalid('types', 'cannot be combined with type')
  }
  if (after !== undefined && before !== undefined) {
    throw invalid('ending_before', 'cannot be combined with starting_after')
  }
  const found = rows.filter((row) => passes.every((one) => one(row)))
  const rest = found.filter(({ id }) =>
    before === undefined ? after === undefined || id < after : id > before,
  )
  const page = before === undefined ? rest.slice(-limit) : rest.slice(0, limit)
  return { object: 'list', url, has_more: rest.length > limit, data: page.toReversed() }
}

function limitOf({ limit = String(LIMIT_DEFAULT) }: Form): number {
  const count = Number(limit)
  if (typeof limit !== 'string' || !/^\d{1,3}$/.test(limit) || count < 1 || count > LIMIT_MAX) {
    throw invalid('limit', `must be an integer from 1 to ${LIMIT_MAX}`)
  }
  return count
}

function cursorOf(prefix: string, name: string, form: Form): string | undefined {
  const value = form[name]
  if (value === undefined) return undefined
  if (typeof value !== 'string' || !isId(prefix, value)) {
    throw invalid(name, `must be the id of an object of this list (${prefix}_…)`)
  }
  return value
}
