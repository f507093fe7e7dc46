import { Refusal } from '@merchant-payments/contract'
import { REDACTED } from '../base/redact.ts'
import type { CustomerId, MerchantId } from '../base/ids.ts'
import { type Metadata, mergeMetadata, sameMetadata } from '../base/metadata.ts'
import { parseMsisdn } from '../base/phone.ts'

/** Spec 2.2: exactly eight components. An update replaces the address as a whole. */
export interface Address {
  readonly line1: string | null
  readonly line2: string | null
  readonly city: string | null
  readonly state: string | null
  readonly postalCode: string | null
  readonly country: string | null
  readonly latitudeMicrodeg: number | null
  readonly longitudeMicrodeg: number | null
}

interface CustomerFacts {
  readonly name: string | null
  readonly email: string | null
  readonly phone: string | null
  readonly address: Address | null
  readonly metadata: Metadata
}

export interface Customer extends CustomerFacts {
  readonly merchantId: MerchantId
  readonly id: CustomerId
  readonly livemode: boolean
  readonly erasedAtMs: number | null
  /** Never on the wire (spec 2.2.3). */
  readonly lastUsedAtMs: number
  readonly revision: number
}

/** Spec 4.4.1: an absent field stays as it is, null clears it. The phone is in any accepted spelling. */
export interface CustomerChanges {
  readonly name?: string | null | undefined
  readonly email?: string | null | undefined
  readonly phone?: string | null | undefined
  readonly address?: Address | null | undefined
  readonly metadata?: Metadata | null | undefined
}

export const noFacts: CustomerFacts = { name: null, email: null, phone: null, address: null, metadata: {} }

/** @throws Refusal invalid_request, naming the parameter */
export function changeFacts<F extends CustomerFacts>(
  before: F,
  changes: CustomerChanges,
  defaultCountryCode: string,
): F {
  const canonical =
    typeof changes.phone === 'string'
      ? parseMsisdn(changes.phone, defaultCountryCode, 'phone')
      : changes.phone
  const sent = { ...changes, phone: canonical }
  const { name = before.name, email = before.email, phone = before.phone, address = before.address } = sent
  if (name === null && email === null && phone === null) throw unreachable(before, changes)
  return {
    ...before,
    name,
    email,
    phone,
    address: address === null || isBlank(address) ? null : address,
    metadata: mergeMetadata(before.metadata, changes.metadata),
  }
}

/** Spec 3.2. */
export const eraseFacts = (customer: Customer, nowMs: number): Customer => ({
  ...customer,
  name: REDACTED,
  email: REDACTED,
  phone: REDACTED,
  address: {
    line1: REDACTED,
    line2: REDACTED,
    city: REDACTED,
    state: REDACTED,
    postalCode: REDACTED,
    country: REDACTED,
    latitudeMicrodeg: null,
    longitudeMicrodeg: null,
  },
  erasedAtMs: nowMs,
})

const isBlank = (address: Address): boolean => Object.values(address).every((component) => component === null)

/** Spec 2.2.1 and 4.4.2. Names the field that was cleared, or the phone, which alone would be enough. */
function unreachable(before: CustomerFacts, changes: CustomerChanges): Refusal {
  const cleared = (['phone', 'email', 'name'] as const).find(
    (name) => changes[name] === null && before[name] !== null,
  )
  return new Refusal('invalid_request', 'one of name, email and phone is required', {
    param: cleared ?? 'phone',
  })
}

export const sameFacts = (one: CustomerFacts, other: CustomerFacts): boolean =>
  one.name === other.name &&
  one.email === other.email &&
  one.phone === other.phone &&
  sameAddress(one.address, other.address) &&
  sameMetadata(one.metadata, other.metadata)

function sameAddress(one: Address | null, other: Address | null): boolean {
  if (one === null || other === null) return one === other
  return (Object.keys(one) as (keyof Address)[]).every((component) => one[component] === other[component])
}
