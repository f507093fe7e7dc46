import { own, type Rule } from './call.ts'
import { CREATED, madeIn } from './filters.ts'
import type { Form } from './form.ts'
import { page } from './pages.ts'
import { renderEvent } from './render.ts'
import type { Told } from './state.ts'
import { bad } from './verdict.ts'

export const retrieveEvent: Rule = ({ shop, id }) => renderEvent(own(shop.told, id))

/** Newest first, as they were written. */
export const listEvents: Rule = (call) => {
  const { told } = call.shop
  return page(call, {
    url: '/v1/events',
    kind: 'evt',
    rows: told.filter(filterOf(call.form)),
    render: renderEvent,
    filters: ['type', 'types[]', ...CREATED],
    placeOf: (id) => told.findIndex((one) => one.id === id),
  })
}

function filterOf(form: Form): (told: Told) => boolean {
  const type = form.text('type')
  const types = form.list('types')
  if (type !== undefined && types !== undefined) throw bad('types')
  const wanted = types ?? (type === undefined ? undefined : [type])
  const isWithin = madeIn(form)
  return ({ type, atSec }) =>
    (wanted === undefined || wanted.some((name) => isOfType(type, name))) && isWithin(atSec)
}

/** A type, or a group of them as `invoice.*`. */
const isOfType = (type: string, name: string): boolean =>
  type === name || (name.endsWith('.*') && type.startsWith(name.slice(0, -1)))
