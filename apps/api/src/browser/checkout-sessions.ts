import { type Deps, getBrowserSession } from '@merchant-payments/core'
import { handlers } from './handlers.ts'

export const checkoutSessions = (deps: Deps) =>
  handlers({
    retrieveSessionInBrowser: ({ credentials, params }) => getBrowserSession(deps, credentials, params.id),
  })
