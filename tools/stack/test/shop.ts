import { readFile } from 'node:fs/promises'
import { createMerchantPayments } from '@merchant-payments/node-sdk'

interface Shop {
  readonly baseUrl: string
  readonly clientId: string
  readonly privateKeyFile: string
}

const RAIL = 'mtn_momo_cm'

/** The demo merchant's own program. */
export async function openShop({ baseUrl, clientId, privateKeyFile }: Shop) {
  const privateKey = await readFile(privateKeyFile, 'utf8')
  const payments = createMerchantPayments({ baseUrl, clientId, privateKey, maxRetries: 0 })
  const { paymentIntents } = payments
  return {
    payments,
    create: (idempotencyKey?: string) =>
      paymentIntents.create(
        { amount: 2_500, currency: 'XAF', payment_method_types: [RAIL] },
        { idempotencyKey },
      ),
    confirm: (id: string, msisdn: string) =>
      paymentIntents.confirm(id, { payment_method_data: { [RAIL]: { msisdn } } }),
  }
}
