import { readFile } from 'node:fs/promises'
import { createMerchantPayments, type MerchantPayments } from '@merchant-payments/node-sdk'
import type { Stack } from '@merchant-payments/stack'

export const SHOP = 'https://shop.example'

/** A link that a shop has given to its payer. */
export interface Sale {
  readonly sessionId: string
  readonly intentId: string
  readonly link: string
  /** The link's fragment. Only the page and the API may see it. */
  readonly secret: string
}

export interface Shop {
  readonly payments: MerchantPayments
  readonly sell: (rails: readonly string[]) => Promise<Sale>
}

const AMOUNT = 12_500

export async function openShop({ baseUrl, clientId, privateKeyFile }: Stack): Promise<Shop> {
  const privateKey = await readFile(privateKeyFile, 'utf8')
  const payments = createMerchantPayments({ baseUrl, clientId, privateKey })
  return {
    payments,
    sell: async (rails) => {
      const session = await payments.checkout.sessions.create({
        amount: AMOUNT,
        currency: 'XAF',
        payment_method_types: [...rails],
        success_url: `${SHOP}/merci?session={CHECKOUT_SESSION_ID}`,
        cancel_url: `${SHOP}/panier`,
      })
      const link = session.url ?? ''
      return {
        sessionId: session.id,
        intentId: session.payment_intent,
        link,
        secret: link.slice(link.indexOf('#') + 1),
      }
    },
  }
}
