import { type Form, textOf, valuesOf } from './parse-form.ts'
import { Refusal } from './store.ts'

const LIMIT_DEFAULT = 10
const LIMIT_MAX = 100

interface Row {
  readonly id: string
  readonly created: number
}

const bounds: Readonly<Record<string, (created: number, bound: number) => boolean>> = {
  gt: (created, bound) => created > bound,
  gte: (created, bound) => created >= bound,
  lt: (created, bound) => created < bound,
  lte: (created, bound) => created <= bound,
}

/** One page, newest first in both directions (spec 2.1). */
export function listRows(url: string, rows: readonly Row[], form: Form): object {
  const limit = form['limit'] === undefined ? LIMIT_DEFAULT : Number(form['limit'])
  if (!Number.isInteger(limit) || limit < 1 || limit > LIMIT_MAX) {
    throw new Refusal(400, 'invalid_request', `must be an integer from 1 to ${LIMIT_MAX}`, 'limit')
  }
  const found = rows.filter((row) => passes(row, form)).toReversed()
  const placeOf = (name: string): number | null => {
    const cursor = textOf(form[name])
    if (cursor === null) return null
    const place = found.findIndex(({ id }) => id === cursor)
    if (place === -1) throw new Refusal(400, 'invalid_request', 'is not in this list', name)
    return place
  }
  const before = placeOf('ending_before')
  const after = placeOf('starting_after')
  const start = before === null ? (after ?? -1) + 1 : Math.max(0, before - limit)
  const end = before ?? start + limit
  const has_more = before === null ? end < found.length : start > 0
  return { object: 'list', url, has_more, data: found.slice(start, end) }
}

function passes(row: Row, form: Form): boolean {
  const values = row as unknown as Record<string, unknown>
  const types = [textOf(form['type']), ...valuesOf(form['types'])].filter((type) => type !== null)
  const { created } = form
  return (
    ['customer', 'payment_intent', 'status'].every((name) => {
      const wanted = textOf(form[name])
      return wanted === null || values[name] === wanted
    }) &&
    (types.length === 0 || types.some((type) => isOfType(String(values['type']), type))) &&
    (typeof created !== 'string' || row.created === Number(created)) &&
    (typeof created !== 'object' ||
      Object.entries(created).every(([name, bound]) => bounds[name]?.(row.created, Number(bound)) ?? true))
  )
}

/** A filter is a type, or a group such as `invoice.*`. */
const isOfType = (type: string, filter: string): boolean =>
  filter.endsWith('.*') ? type.startsWith(filter.slice(0, -1)) : type === filter
