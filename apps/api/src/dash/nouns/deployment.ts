import {
  disableMerchantClient,
  enableMerchantClient,
  getClientActivity,
  getMerchant,
  getStaffRail,
  listMerchantClients,
  listStaffRails,
} from '@merchant-payments/core'
import { type HandlerDeps, handlers } from '../handlers.ts'

export const deployment = (deps: HandlerDeps) =>
  handlers({
    listMerchantClients: ({ query }) => listMerchantClients(deps, deps.registrations, query.status ?? null),
    retrieveMerchantClient: ({ params }) => getMerchant(deps, deps.registrations, params.id),
    disableMerchantClient: ({ request, params }) => disableMerchantClient(deps, request, params.id),
    enableMerchantClient: ({ request, params }) => enableMerchantClient(deps, request, params.id),
    retrieveClientActivity: ({ params }) => getClientActivity(deps, deps.registrations, params.id),
    retrieveStaffRail: ({ params }) => getStaffRail(deps, params.id),
    listStaffRails: () => Promise.resolve(listStaffRails(deps)),
  })
