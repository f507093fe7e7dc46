import { z } from 'zod'
import {
  clearable,
  clearableText,
  idParam,
  integerWithin,
  listQuery,
  metadata,
  metadataChanges,
} from './form.ts'
import { listOf } from './list.ts'
import { operation } from './operation.ts'

const Address = z.strictObject({
  line1: z.string().nullable(),
  line2: z.string().nullable(),
  city: z.string().nullable(),
  state: z.string().nullable(),
  postal_code: z.string().nullable(),
  country: z.string().nullable(),
  latitude_microdeg: z.int().nullable(),
  longitude_microdeg: z.int().nullable(),
})

/** Spec 2.2. `deleted` is an absent key except on an erased customer. */
export const Customer = z.strictObject({
  id: z.string().regex(/^cus_[0-9a-f]{32}$/),
  object: z.literal('customer'),
  name: z.string().nullable(),
  email: z.string().nullable(),
  phone: z.string().nullable(),
  address: Address.nullable(),
  metadata: z.record(z.string(), z.string()),
  created: z.int(),
  livemode: z.boolean(),
  deleted: z.literal(true).optional(),
})
export type Customer = z.infer<typeof Customer>

/** Spec 4.2: what a DELETE answers, the first time and again. */
export const DeletedCustomer = z.strictObject({
  id: z.string().regex(/^cus_[0-9a-f]{32}$/),
  object: z.literal('customer'),
  deleted: z.literal(true),
})
export type DeletedCustomer = z.infer<typeof DeletedCustomer>

/** docs/spec-gaps.md: lengths in characters. */
const NAME_CHARS_MAX = 256
const EMAIL_CHARS_MAX = 512
const PHONE_CHARS_MAX = 64
const ADDRESS_LINE_CHARS_MAX = 200

/** Spec 8: within plus or minus 90 and 180 degrees. */
const LATITUDE_MICRODEG_MAX = 90_000_000
const LONGITUDE_MICRODEG_MAX = 180_000_000

const line = clearableText(ADDRESS_LINE_CHARS_MAX)

/** Spec 2.2: two letters, of which no list is asked. */
const country = z
  .string('must be a string')
  .regex(/^(?:[A-Za-z]{2})?$/, 'must be a country code of two letters')
  .transform((code) => (code === '' ? null : code.toUpperCase()))
  .optional()

const coordinates = ['latitude_microdeg', 'longitude_microdeg'] as const

const address = clearable(
  z
    .object({
      line1: line,
      line2: line,
      city: line,
      state: line,
      postal_code: line,
      country,
      latitude_microdeg: integerWithin(LATITUDE_MICRODEG_MAX),
      longitude_microdeg: integerWithin(LONGITUDE_MICRODEG_MAX),
    })
    .superRefine((place, ctx) => {
      const missing = coordinates.filter((name) => (place[name] ?? null) === null)
      const [name] = missing
      if (missing.length !== 1 || name === undefined) return
      ctx.addIssue({ code: 'custom', message: 'is required beside the other coordinate', path: [name] })
    }),
)

const identifiers = {
  name: clearableText(NAME_CHARS_MAX),
  email: clearableText(EMAIL_CHARS_MAX),
  phone: clearableText(PHONE_CHARS_MAX),
  address,
}

export const createCustomer = operation({
  id: 'customers.create',
  surface: 'v1',
  method: 'POST',
  path: '/v1/customers',
  body: z.object({ ...identifiers, metadata }),
  ok: { status: 200, schema: Customer },
})

export const listCustomers = operation({
  id: 'customers.list',
  surface: 'v1',
  method: 'GET',
  path: '/v1/customers',
  query: z.strictObject(listQuery('cus')),
  ok: { status: 200, schema: listOf(Customer) },
})

export const retrieveCustomer = operation({
  id: 'customers.retrieve',
  surface: 'v1',
  method: 'GET',
  path: '/v1/customers/{id}',
  params: z.object({ id: idParam('cus') }),
  ok: { status: 200, schema: Customer },
})

export const updateCustomer = operation({
  id: 'customers.update',
  surface: 'v1',
  method: 'POST',
  path: '/v1/customers/{id}',
  params: z.object({ id: idParam('cus') }),
  body: z.object({ ...identifiers, metadata: metadataChanges }),
  ok: { status: 200, schema: Customer },
})

export const deleteCustomer = operation({
  id: 'customers.del',
  surface: 'v1',
  method: 'DELETE',
  path: '/v1/customers/{id}',
  params: z.object({ id: idParam('cus') }),
  ok: { status: 200, schema: DeletedCustomer },
})
