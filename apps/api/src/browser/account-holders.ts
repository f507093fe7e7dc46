import { accessBySecret, type Deps, findPayersAccountHolder } from '@merchant-payments/core'
import type { Lookups } from '../lookups.ts'
import { handlers } from './handlers.ts'

export const accountHolders = (deps: Deps & { lookups: Lookups }) =>
  handlers({
    retrieveAccountHolderInBrowser: async ({ credentials, query }) => {
      const access = await accessBySecret(deps, credentials)
      const { payment_method_type: paymentMethodType, msisdn } = query()
      const { takeForPayment } = deps.lookups
      return findPayersAccountHolder(deps, access, { paymentMethodType, msisdn }, takeForPayment)
    },
  })
