import {
  createCustomer as createOperation,
  deleteCustomer as deleteOperation,
  listCustomers as listOperation,
  retrieveCustomer,
  updateCustomer as updateOperation,
} from '@merchant-payments/contract'
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
import type { z } from 'zod'
import { command, read, removal, type Route } from './handle.ts'

export const customerRoutes = (deps: Deps): Route[] => [
  command(createOperation, ({ claim, body }) => createCustomer(deps, claim, changesOf(body))),
  read(listOperation, async ({ merchantId, query }) =>
    JSON.stringify(await listCustomers(deps, merchantId, parsePage<CustomerId>(query))),
  ),
  read(retrieveCustomer, async ({ merchantId, params }) =>
    JSON.stringify(await getCustomer(deps, merchantId, params.id)),
  ),
  command(updateOperation, ({ claim, params, body }) =>
    updateCustomer(deps, claim, params.id, changesOf(body)),
  ),
  removal(deleteOperation, async ({ merchantId, requestId, params }) =>
    JSON.stringify(await deleteCustomer(deps, merchantId, params.id, requestId)),
  ),
]

type Form = z.output<NonNullable<typeof updateOperation.body>>

const changesOf = ({ name, email, phone, address, metadata }: Form): CustomerChanges => ({
  name,
  email,
  phone,
  address: address == null ? address : addressOf(address),
  metadata,
})

/** A component that is not sent is not there: an update replaces the address whole (spec 2.2). */
const addressOf = (sent: NonNullable<Form['address']>): NonNullable<CustomerChanges['address']> => ({
  line1: sent.line1 ?? null,
  line2: sent.line2 ?? null,
  city: sent.city ?? null,
  state: sent.state ?? null,
  postalCode: sent.postal_code ?? null,
  country: sent.country ?? null,
  latitudeMicrodeg: sent.latitude_microdeg ?? null,
  longitudeMicrodeg: sent.longitude_microdeg ?? null,
})
