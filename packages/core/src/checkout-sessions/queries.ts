import { type CheckoutSession, type List, Refusal } from '@merchant-payments/contract'
import type { Deps } from '../deps.ts'
import { clientDisabled } from '../base/client-status.ts'
import { type CheckoutSessionId, type MerchantId, parseId } from '../base/ids.ts'
import type { PageQuery } from '../pages/page.ts'
import { renderSession, withSessionSecret, withUrl } from './render.ts'
import { findSession, listSessions, type SessionFilter } from './store.ts'

type QueryDeps = Pick<Deps, 'db' | 'clock' | 'deployment'>

/** @throws Refusal resource_missing, the same for an ill-formed, an unknown and a foreign id (spec 7.2) */
export async function getSession(
  { db, clock, deployment }: QueryDeps,
  merchantId: MerchantId,
  idText: string,
): Promise<CheckoutSession> {
  const id = parseId('cs', idText)
  if (id === null) throw noSuchSession()
  const { open, found: session } = await findSession(db.reader, merchantId, id)
  if (!open) throw clientDisabled()
  if (session === undefined) throw noSuchSession()
  const wire = withUrl(renderSession(session), session, deployment, clock())
  return withSessionSecret(wire, session, deployment)
}

export async function listCheckoutSessions(
  { db, clock, deployment }: QueryDeps,
  merchantId: MerchantId,
  page: PageQuery<CheckoutSessionId>,
  filter: SessionFilter,
): Promise<List<CheckoutSession>> {
  const { open, found } = await listSessions(db.lists, merchantId, page, filter)
  if (!open) throw clientDisabled()
  const nowMs = clock()
  return {
    object: 'list',
    url: '/v1/checkout/sessions',
    has_more: found.hasMore,
    data: found.items.map((session) => withUrl(renderSession(session), session, deployment, nowMs)),
  }
}

export const noSuchSession = () => new Refusal('resource_missing', 'No such checkout session.')
