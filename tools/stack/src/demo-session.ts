import { readFile } from 'node:fs/promises'
import { type CheckoutSession, createMerchantPayments } from '@merchant-payments/node-sdk'
import type { StackFile } from './stack-file.ts'

const AMOUNT = 2_500

/** Creates a session of the demo merchant with every rail of the deployment. Its `url` is a link to click. */
export async function createDemoSession(file: StackFile): Promise<CheckoutSession> {
  const { push_rail: push, redirect_rail: redirect } = file.mock_rails
  const { checkout } = createMerchantPayments({
    baseUrl: file.base_url,
    clientId: file.client_id,
    privateKey: await readFile(file.private_key_file, 'utf8'),
  })
  // The receiver of the shop's webhooks also serves its pages.
  const shop = file.webhook?.received_url ?? file.base_url
  return checkout.sessions.create({
    amount: AMOUNT,
    currency: 'XAF',
    payment_method_types: [push, redirect].filter((rail) => rail !== null),
    description: 'A bag of rice',
    success_url: new URL('/thanks', shop).href,
    cancel_url: new URL('/basket', shop).href,
  })
}
