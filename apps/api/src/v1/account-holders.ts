import { type Deps, findAccountHolder } from '@merchant-payments/core'
import type { Lookups } from '../lookups.ts'
import { handlers } from './handlers.ts'

export const accountHolders = (deps: Deps & { lookups: Lookups }) =>
  handlers({
    retrieveAccountHolder: ({ merchantId, query }) =>
      findAccountHolder(
        deps,
        merchantId,
        { paymentMethodType: query.payment_method_type, msisdn: query.msisdn },
        () => deps.lookups.takeForMerchant(merchantId),
      ),
  })
