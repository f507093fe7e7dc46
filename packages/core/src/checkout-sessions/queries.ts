import { type CheckoutSession, type List, Refusal } from '@merchant-payments/contract'
import type { Deps } from '../deps.ts'
import type { CheckoutSessionId, MerchantId } from '../base/ids.ts'
import { type PageQuery, renderList } from '../pages/page.ts'
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
  const listed = await listSessions(db.lists, merchantId, page, filter)
  const nowMs = clock()
  return renderList('/v1/checkout/sessions', listed, (session) =>
    withUrl(renderSession(session), session, deployment, nowMs),
  )
}
