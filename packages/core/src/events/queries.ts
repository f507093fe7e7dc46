import { Refusal } from '@merchant-payments/contract'
import type { Deps } from '../deps.ts'
import { clientDisabled } from '../base/client-status.ts'
import type { EventId, MerchantId } from '../base/ids.ts'
import type { PageQuery } from '../pages/page.ts'
import { getById } from '../reads/get-by-id.ts'
import { type EventFilter, findEventBody, listEventBodies } from './store.ts'

const noSuchEvent = () => new Refusal('resource_missing', 'No such event.')

const getBody = getById('evt', findEventBody, noSuchEvent)

/** Spec 2.3: the stored rendering, byte for byte as webhooks carry it. */
export async function getEvent(
  { db }: Pick<Deps, 'db'>,
  merchantId: MerchantId,
  idText: string,
): Promise<string> {
  return getBody(db, { merchantId }, idText)
}

export async function listEvents(
  { db }: Pick<Deps, 'db'>,
  merchantId: MerchantId,
  page: PageQuery<EventId>,
  filter?: EventFilter,
): Promise<string> {
  const { open, found } = await listEventBodies(db.lists, merchantId, page, filter)
  if (!open) throw clientDisabled()
  // The bodies are JSON already. Parsing and printing them again could change their bytes.
  return `{"object":"list","url":"/v1/events","has_more":${found.hasMore},"data":[${found.items.join(',')}]}`
}
