import type { Customer as WireCustomer, DeletedCustomer } from '@merchant-payments/contract'
import { createdOf, type CustomerId } from '../base/ids.ts'
import type { Address, Customer } from './customer.ts'

export function renderCustomer(customer: Customer): WireCustomer {
  return {
    id: customer.id,
    object: 'customer',
    name: customer.name,
    email: customer.email,
    phone: customer.phone,
    address: customer.address === null ? null : renderAddress(customer.address),
    metadata: customer.metadata,
    created: createdOf(customer.id),
    livemode: customer.livemode,
    ...(customer.erasedAtMs === null ? {} : { deleted: true }),
  }
}

const renderAddress = (address: Address): NonNullable<WireCustomer['address']> => ({
  line1: address.line1,
  line2: address.line2,
  city: address.city,
  state: address.state,
  postal_code: address.postalCode,
  country: address.country,
  latitude_microdeg: address.latitudeMicrodeg,
  longitude_microdeg: address.longitudeMicrodeg,
})

export const renderDeleted = (id: CustomerId): DeletedCustomer => ({ id, object: 'customer', deleted: true })
