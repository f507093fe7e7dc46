import { retrieveAccountHolder } from '@merchant-payments/contract'
import { type Deps, findAccountHolder } from '@merchant-payments/core'
import type { Lookups } from '../lookups.ts'
import { read, type Route } from './handle.ts'

export const accountHolderRoutes = (deps: Deps & { lookups: Lookups }): Route[] => [
  read(retrieveAccountHolder, async ({ merchantId, query }) =>
    JSON.stringify(
      await findAccountHolder(
        deps,
        merchantId,
        { paymentMethodType: query.payment_method_type, msisdn: query.msisdn },
        () => deps.lookups.takeForMerchant(merchantId),
      ),
    ),
  ),
]
