import { accessIntent, confirmFromBrowser, type Deps, getBrowserIntent } from '@merchant-payments/core'
import { handlers } from './handlers.ts'

export const paymentIntents = (deps: Deps) =>
  handlers({
    retrieveIntentInBrowser: ({ credentials, params }) => getBrowserIntent(deps, credentials, params.id),
    confirmIntentInBrowser: async ({ credentials, params, once }) => {
      const access = await accessIntent(deps, credentials, params.id)
      // Its own namespace of keys, so that a payer can spend neither the merchant's nor another payer's.
      const scope = `browser:${access.intent.id}` as const
      return once({ merchantId: access.merchant.id, scope }, (claim, body) =>
        confirmFromBrowser(deps, access, claim, {
          paymentMethodData: body.payment_method_data,
          returnUrl: body.return_url,
          locale: body.locale ?? null,
        }),
      )
    },
  })
