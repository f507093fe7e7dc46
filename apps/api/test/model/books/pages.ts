import type { Call } from './call.ts'
import type { Form } from './form.ts'
import { type Kind, placeOf } from './state.ts'
import { bad, type Json } from './verdict.ts'

interface Listing<T> {
  readonly url: string
  readonly kind: Kind
  /** Oldest first. */
  readonly rows: readonly T[]
  readonly render: (row: T) => Json
  /** Parameters besides those of every list. */
  readonly filters?: readonly string[]
  /** The place of an id in the list's order, where that is not the order of minting. */
  readonly placeOf?: (id: string) => number
}

/** docs/spec-gaps.md: newest first; a cursor is compared by its own order, so that one of a removed row still works. */
export function page<T extends { readonly id: string }>({ form }: Call, listing: Listing<T>): Json {
  const { url, rows, render } = listing
  const limit = form.count('limit', 1, 100) ?? 10
  const after = cursor(form, 'starting_after', listing.kind)
  const before = cursor(form, 'ending_before', listing.kind)
  refuseUnknown(form, listing.filters ?? [])
  if (after !== undefined && before !== undefined) throw bad('ending_before')
  const place = listing.placeOf ?? placeOf
  const newest = rows
    .filter(({ id }) => after === undefined || place(id) < place(after))
    .filter(({ id }) => before === undefined || place(id) > place(before))
    .toReversed()
  const shown = before === undefined ? newest.slice(0, limit) : newest.slice(-limit)
  return { object: 'list', url, has_more: newest.length > limit, data: shown.map(render) }
}

function cursor(form: Form, name: string, kind: Kind): string | undefined {
  const id = form.text(name)
  if (id !== undefined && !id.startsWith(`⟨${kind} `)) throw bad(name)
  return id
}

const paging = ['limit', 'starting_after', 'ending_before', 'expand[]']

/** An ignored filter would show somebody else's rows. */
function refuseUnknown(form: Form, filters: readonly string[]): void {
  const unknown = form.pairs.find(([name]) => ![...paging, ...filters].includes(name))
  if (unknown !== undefined) throw bad(unknown[0])
}
