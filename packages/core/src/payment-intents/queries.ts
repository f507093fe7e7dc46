import type { List, PaymentIntent } from '@merchant-payments/contract'
import type { Deps } from '../deps.ts'
import { clientDisabled } from '../base/client-status.ts'
import type { MerchantId, PaymentIntentId } from '../base/ids.ts'
import type { PageQuery } from '../pages/page.ts'
import { getById } from '../reads/get-by-id.ts'
import { noSuchIntent } from './refusals.ts'
import { renderPaymentIntent, withClientSecret } from './render.ts'
import { findIntent, listIntents } from './store.ts'

export const getStoredIntent = getById('pi', findIntent, noSuchIntent)

export async function getIntent(
  { db, deployment }: Pick<Deps, 'db' | 'deployment'>,
  merchantId: MerchantId,
  idText: string,
): Promise<PaymentIntent> {
  const intent = await getStoredIntent(db, { merchantId }, idText)
  const secret = intent.storedSecret ?? deployment.clientSecrets.of(intent.id)
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
