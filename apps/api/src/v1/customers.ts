import type { updateCustomer as updateOperation } from '@merchant-payments/contract'
import {
  createCustomer,
  type CustomerChanges,
  type CustomerId,
  deleteCustomer,
  type Deps,
  getCustomer,
  listCustomers,
  parsePage,
  updateCustomer,
} from '@merchant-payments/core'
import type { Parsed } from '../http/operations.ts'
import { handlers } from './handlers.ts'

export const customers = (deps: Deps) =>
  handlers({
    createCustomer: ({ claim, body }) => createCustomer(deps, claim, changesOf(body)),
    listCustomers: ({ merchantId, query }) => listCustomers(deps, merchantId, parsePage<CustomerId>(query)),
    retrieveCustomer: ({ merchantId, params }) => getCustomer(deps, merchantId, params.id),
    updateCustomer: ({ claim, params, body }) => updateCustomer(deps, claim, params.id, changesOf(body)),
    deleteCustomer: ({ merchantId, requestId, params }) =>
      deleteCustomer(deps, merchantId, params.id, requestId),
  })

type Form = Parsed<typeof updateOperation.body>

const changesOf = ({ name, email, phone, address, metadata }: Form): CustomerChanges => ({
  name,
  email,
  phone,
  address: address == null ? address : addressOf(address),
  metadata,
})

/**
 * An update replaces the whole address, so components that are not sent are removed (spec 2.2). Undefined if only unknown
 * components were sent: they are ignored, and must not clear it.
 */
function addressOf(sent: NonNullable<Form['address']>): CustomerChanges['address'] {
  if (Object.keys(sent).length === 0) return undefined
  return {
    line1: sent.line1 ?? null,
    line2: sent.line2 ?? null,
    city: sent.city ?? null,
    state: sent.state ?? null,
    postalCode: sent.postal_code ?? null,
    country: sent.country ?? null,
    latitudeMicrodeg: sent.latitude_microdeg ?? null,
    longitudeMicrodeg: sent.longitude_microdeg ?? null,
  }
}
