import { accessIntent, confirmFromBrowser, type Deps, getBrowserIntent } from '@merchant-payments/core'
import { handlers } from './handlers.ts'

export const paymentIntents = (deps: Deps) =>
  handlers({
    retrieveIntentInBrowser: ({ credentials, params }) => getBrowserIntent(deps, credentials, params.id),
    confirmIntentInBrowser: async ({ credentials, params, once }) => {
      const access = await accessIntent(deps, credentials, params.id)
      // A namespace per intent keeps payers from using up keys of the merchant or of other payers.
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
