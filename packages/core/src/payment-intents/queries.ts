import type { List, PaymentIntent } from '@merchant-payments/contract'
import type { Deps } from '../deps.ts'
import type { MerchantId, PaymentIntentId } from '../base/ids.ts'
import { type PageQuery, renderList } from '../pages/page.ts'
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
  return renderList(
    '/v1/payment_intents',
    await listIntents(db.lists, merchantId, page, {}),
    renderPaymentIntent,
  )
}
