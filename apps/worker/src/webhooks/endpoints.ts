import type { Config } from '@merchant-payments/config'
import type { MerchantId } from '@merchant-payments/core'
import { createSigner, type Signer } from './signature.ts'

/** A merchant's endpoint. The signer hides the secret, so printing an endpoint cannot show it. */
interface Endpoint {
  readonly url: URL
  readonly sign: Signer
}

export interface Endpoints {
  knows(merchantId: MerchantId): boolean
  idsOf(merchantId: MerchantId): readonly string[]
  /** Undefined if the endpoint left the configuration. */
  find(merchantId: MerchantId, endpointId: string): Endpoint | undefined
}

export type WebhookClient = Pick<Config['merchantClients'][number], 'clientId' | 'webhooks'>

export function buildEndpoints(clients: readonly WebhookClient[]): Endpoints {
  const byMerchant = new Map(
    clients.map(({ clientId, webhooks }) => [
      clientId,
      new Map(webhooks.map((webhook) => [webhook.id, endpointOf(webhook)])),
    ]),
  )
  const ids = new Map([...byMerchant].map(([merchantId, endpoints]) => [merchantId, [...endpoints.keys()]]))
  return {
    knows: (merchantId) => ids.has(merchantId),
    idsOf: (merchantId) => ids.get(merchantId) ?? [],
    find: (merchantId, endpointId) => byMerchant.get(merchantId)?.get(endpointId),
  }
}

const endpointOf = ({ url, secrets }: WebhookClient['webhooks'][number]): Endpoint => ({
  url: new URL(url),
  sign: createSigner(secrets.map((secret) => secret.reveal())),
})
