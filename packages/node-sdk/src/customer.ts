/**
 * Where a customer is. A coordinate is an integer of microdegrees: 4.05 degrees are 4 050 000.
 *
 * @example
 * ```ts
 * const degrees = (microdeg: number) => microdeg / 1_000_000
 * ```
 */
export interface Address {
  line1: string | null
  line2: string | null
  city: string | null
  state: string | null
  postal_code: string | null
  /** Two letters, upper case. */
  country: string | null
  /** Within ±90 000 000; both coordinates or neither. */
  latitude_microdeg: number | null
  /** Within ±180 000 000. */
  longitude_microdeg: number | null
}

/**
 * Somebody who pays a merchant. Neither phone nor email is unique.
 *
 * @example
 * ```ts
 * const isErased = (customer: Customer) => customer.deleted === true
 * ```
 */
export interface Customer {
  id: string
  object: 'customer'
  name: string | null
  email: string | null
  /** Twelve digits with the country code, no plus sign, whatever spelling was sent. */
  phone: string | null
  address: Address | null
  metadata: Record<string, string>
  /** Unix seconds. */
  created: number
  livemode: boolean
  /** Present, and true, only on an erased customer, whose identifiers all read `[redacted]`. */
  deleted?: true | undefined
}

/**
 * What is left to say of a customer who was deleted.
 *
 * @example
 * ```ts
 * const isGone = ({ deleted }: DeletedCustomer) => deleted
 * ```
 */
export interface DeletedCustomer {
  id: string
  object: 'customer'
  deleted: true
}

/**
 * At least one of name, email and phone; phone alone suffices.
 *
 * @example
 * ```ts
 * const params: CustomerCreateParams = {
 *   phone: '+237 6 70 00 00 01',
 *   address: { city: 'Douala', country: 'CM' },
 *   metadata: { tier: 'gold' },
 * }
 * ```
 */
export interface CustomerCreateParams {
  name?: string | null | undefined
  email?: string | null | undefined
  /** In any spelling; the service makes it canonical. */
  phone?: string | null | undefined
  address?: Partial<Address> | null | undefined
  metadata?: Readonly<Record<string, string>> | undefined
}

/**
 * What is not given stays as it is; null or an empty string clears a field. An address is replaced whole. Metadata merges
 * key by key, and an empty value removes its key.
 *
 * @example
 * ```ts
 * const params: CustomerUpdateParams = { email: null, metadata: { tier: '' } }
 * ```
 */
export interface CustomerUpdateParams extends CustomerCreateParams {}
