import { type CheckoutSession, type List, Refusal } from '@merchant-payments/contract'
import type { Deps } from '../deps.ts'
import { clientDisabled } from '../base/client-status.ts'
import type { CheckoutSessionId, MerchantId } from '../base/ids.ts'
import type { PageQuery } from '../pages/page.ts'
import { getById } from '../reads/get-by-id.ts'
import { renderSession, withSessionSecret, withUrl } from './render.ts'
import { findSession, listSessions, type SessionFilter } from './store.ts'

const noSuchSession = () => new Refusal('resource_missing', 'No such checkout session.')

type QueryDeps = Pick<Deps, 'db' | 'clock' | 'deployment'>

export const getStoredSession = getById('cs', findSession, noSuchSession)

export async function getSession(
  { db, clock, deployment }: QueryDeps,
  merchantId: MerchantId,
  idText: string,
): Promise<CheckoutSession> {
  const session = await getStoredSession(db, { merchantId }, idText)
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
