import { retrieveAccountHolder } from '@merchant-payments/contract'
import { type Deps, findAccountHolder } from '@merchant-payments/core'
import { read, type Route } from './handle.ts'

export const accountHolderRoutes = (deps: Deps): Route[] => [
  read(retrieveAccountHolder, async ({ merchantId, query }) =>
    JSON.stringify(
      await findAccountHolder(deps, merchantId, {
        paymentMethodType: query.payment_method_type,
        msisdn: query.msisdn,
      }),
    ),
  ),
]
