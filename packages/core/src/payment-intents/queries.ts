import type { List, PaymentIntent } from '@merchant-payments/contract'
import type { Deps } from '../deps.ts'
import { clientDisabled } from '../base/client-status.ts'
import { type MerchantId, parseId, type PaymentIntentId } from '../base/ids.ts'
import type { PageQuery } from '../pages/page.ts'
import { noSuchIntent } from './refusals.ts'
import { renderPaymentIntent, withClientSecret } from './render.ts'
import { findIntent, listIntents } from './store.ts'

/** @throws Refusal resource_missing, the same for an ill-formed, an unknown and a foreign id (spec 7.2) */
export async function getIntent(
  { db, deployment }: Pick<Deps, 'db' | 'deployment'>,
  merchantId: MerchantId,
  idText: string,
): Promise<PaymentIntent> {
  const id = parseId('pi', idText)
  if (id === null) throw noSuchIntent()
  const { open, found: intent } = await findIntent(db.reader, merchantId, id)
  if (!open) throw clientDisabled()
  if (intent === undefined) throw noSuchIntent()
  const secret = intent.storedSecret ?? deployment.clientSecrets.of(id)
  return withClientSecret(renderPaymentIntent(intent), secret)
}

export async function listPaymentIntents(
  { db }: Pick<Deps, 'db'>,
  merchantId: MerchantId,
  page: PageQuery<PaymentIntentId>,
): Promise<List<PaymentIntent>> {
  const { open, found } = await listIntents(db.lists, merchantId, page, {})
  if (!open) throw clientDisabled()
  return {
    object: 'list',
    url: '/v1/payment_intents',
    has_more: found.hasMore,
    data: found.items.map(renderPaymentIntent),
  }
}
