import { z } from 'zod'
import { exampleIds } from './examples.ts'
import { created, idField, livemode, metadataField, objectField } from './fields.ts'
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

/** Limits of ±90 and ±180 degrees (spec 8). */
const LATITUDE_MICRODEG_MAX = 90_000_000
const LONGITUDE_MICRODEG_MAX = 180_000_000

const LATITUDE =
  'Latitude in microdegrees, within ±90 000 000: 4.05 degrees are 4050000. Send both coordinates or neither.'
const LONGITUDE =
  'Longitude in microdegrees, within ±180 000 000: 9.7 degrees are 9700000. Send both coordinates or neither.'

const textComponent = (description: string) =>
  z.string().nullable().describe(`${description} Null if there is none.`)

const Address = z
  .strictObject({
    line1: textComponent('First line: street, building.'),
    line2: textComponent('Second line.'),
    city: textComponent('Town or city.'),
    state: textComponent('Region or state.'),
    postal_code: textComponent('Postal code.'),
    country: textComponent(
      'Country as two letters in upper case (ISO 3166-1 alpha-2). Only the format is checked.',
    ),
    latitude_microdeg: z.int().nullable().describe(`${LATITUDE} Null if there is none.`),
    longitude_microdeg: z.int().nullable().describe(`${LONGITUDE} Null if there is none.`),
  })
  .meta({
    id: 'Address',
    description:
      'A customer’s address: exactly eight components, each of which can be null (spec 2.2). Coordinates are integers in microdegrees.',
  })

/** Spec 2.2. Only an erased customer includes the key `deleted`. */
export const Customer = z
  .strictObject({
    id: idField('cus', exampleIds.customer),
    object: objectField('customer'),
    name: z
      .string()
      .nullable()
      .describe(
        'Name, at most 256 characters. Null if there is none, `[redacted]` once the customer is erased.',
      ),
    email: z
      .string()
      .nullable()
      .describe(
        'Email address, at most 512 characters. Its format is not checked, and it is not unique. Null if there is none, `[redacted]` once the customer is erased.',
      ),
    phone: z
      .string()
      .nullable()
      .meta({
        description:
          'Phone number: twelve digits with the country code and no plus sign, whatever spelling was sent (spec 2.2). It is not unique. Null if there is none, `[redacted]` once the customer is erased.',
        examples: ['237670000001'],
      }),
    address: Address.nullable().describe(
      'The customer’s address. Null if no address is known. An erased customer always has one, whose texts are `[redacted]`.',
    ),
    metadata: metadataField.describe(
      'The key-value pairs that the merchant stored with the customer. Empty if there are none. An erasure does not change them.',
    ),
    created,
    livemode,
    deleted: z
      .literal(true)
      .optional()
      .describe(
        'Present, and true, only on an erased customer, whose identifiers are all `[redacted]`. Otherwise the key is absent.',
      ),
  })
  .meta({
    id: 'Customer',
    description: 'A person who pays the merchant (spec 2.2). Neither phone nor email is unique.',
  })
export type Customer = z.infer<typeof Customer>

/** Answer of a DELETE, both the first and a repeated one (spec 4.2). */
export const DeletedCustomer = z
  .strictObject({
    id: idField('cus', exampleIds.customer),
    object: objectField('customer'),
    deleted: z.literal(true).describe('Always true.'),
  })
  .meta({ id: 'DeletedCustomer', description: 'The answer to the deletion of a customer (spec 4.2).' })
export type DeletedCustomer = z.infer<typeof DeletedCustomer>

/** docs/spec-gaps.md: lengths in characters. */
const NAME_CHARS_MAX = 256
const EMAIL_CHARS_MAX = 512
const PHONE_CHARS_MAX = 64
const ADDRESS_LINE_CHARS_MAX = 200

const line = (description: string) =>
  clearableText(ADDRESS_LINE_CHARS_MAX).describe(
    `${description} At most ${ADDRESS_LINE_CHARS_MAX} characters.`,
  )

/** Two letters. The service does not check them against a list (spec 2.2). */
const country = z
  .string('must be a string')
  .regex(/^(?:[A-Za-z]{2})?$/, 'must be a country code of two letters')
  .transform((code) => (code === '' ? null : code.toUpperCase()))
  .optional()
  .describe('Country as two letters, in any case (ISO 3166-1 alpha-2). Only the format is checked.')

const coordinates = ['latitude_microdeg', 'longitude_microdeg'] as const

const address = clearable(
  z
    .object(
      {
        line1: line('First line: street, building.'),
        line2: line('Second line.'),
        city: line('Town or city.'),
        state: line('Region or state.'),
        postal_code: line('Postal code.'),
        country,
        latitude_microdeg: integerWithin(LATITUDE_MICRODEG_MAX).describe(
          `${LATITUDE} A decimal fraction is a 400; it is never rounded.`,
        ),
        longitude_microdeg: integerWithin(LONGITUDE_MICRODEG_MAX).describe(
          `${LONGITUDE} A decimal fraction is a 400; it is never rounded.`,
        ),
      },
      'must be a map',
    )
    .superRefine((place, ctx) => {
      const missing = coordinates.filter((name) => (place[name] ?? null) === null)
      const [name] = missing
      if (missing.length !== 1 || name === undefined) return
      ctx.addIssue({
        code: 'custom',
        message: 'is required together with the other coordinate',
        path: [name],
      })
    }),
).describe(
  'The customer’s address. An update replaces the whole address, coordinates included; an empty value clears it (spec 2.2).',
)

const identifiers = {
  name: clearableText(NAME_CHARS_MAX).describe(
    `Name, at most ${NAME_CHARS_MAX} characters. An empty value clears it.`,
  ),
  email: clearableText(EMAIL_CHARS_MAX).describe(
    `Email address, at most ${EMAIL_CHARS_MAX} characters. Its format is not checked. An empty value clears it.`,
  ),
  phone: clearableText(PHONE_CHARS_MAX).describe(
    `Phone number in any spelling, at most ${PHONE_CHARS_MAX} characters. The service stores it as twelve digits with the country code. An empty value clears it.`,
  ),
  address,
}

export const createCustomer = operation({
  id: 'customers.create',
  surface: 'v1',
  method: 'POST',
  path: '/v1/customers',
  summary: 'Store a person who pays you',
  description: [
    'Creates a customer and writes `customer.created`. At least one of `name`, `email` and `phone` is required; an address alone is not enough (spec 2.2).',
    'Phone and email are not unique: two creates with one phone create two customers. Only the Idempotency-Key keeps a retry from creating a second customer.',
  ],
  body: z.object({ ...identifiers, metadata }),
  errors: [],
  ok: { status: 200, schema: Customer, description: 'The new customer.' },
  example: {
    params: {
      name: 'Awa Ngo',
      phone: '+237 6 70 00 00 01',
      address: { city: 'Douala', country: 'CM' },
      metadata: { tier: 'gold' },
    },
    answer: { object: 'customer', name: 'Awa Ngo', phone: '237670000001', metadata: { tier: 'gold' } },
  },
})

export const listCustomers = operation({
  id: 'customers.list',
  surface: 'v1',
  method: 'GET',
  path: '/v1/customers',
  summary: 'List customers, newest first',
  description: [
    'Pages through all customers of the merchant, erased ones included. There is no filter: an unknown parameter, such as `email`, is a 400 that names it.',
  ],
  query: z.strictObject(listQuery('cus')),
  errors: [],
  ok: { status: 200, schema: listOf(Customer), description: 'One page of customers.' },
  example: { params: { limit: 100 }, answer: { object: 'list', url: '/v1/customers' } },
})

export const retrieveCustomer = operation({
  id: 'customers.retrieve',
  surface: 'v1',
  method: 'GET',
  path: '/v1/customers/{id}',
  summary: 'Read a customer',
  description: [
    'Reads a customer. An erased customer has `deleted: true`. A removed customer is a 404 (spec 3.2).',
  ],
  params: z.object({ id: idParam('cus') }),
  errors: [],
  ok: { status: 200, schema: Customer, description: 'The customer.' },
  example: { id: exampleIds.customer, answer: { id: exampleIds.customer, object: 'customer' } },
})

export const updateCustomer = operation({
  id: 'customers.update',
  surface: 'v1',
  method: 'POST',
  path: '/v1/customers/{id}',
  summary: 'Change the data of a customer',
  description: [
    'Changes only the fields that are sent: an empty value clears its field, an address is replaced whole, and metadata merges key by key (spec 4.4). A change writes `customer.updated`; an update that changes nothing writes no event.',
    'Clearing the last of `name`, `email` and `phone` is a 400.',
  ],
  params: z.object({ id: idParam('cus') }),
  body: z.object({ ...identifiers, metadata: metadataChanges }),
  errors: ['customer_erased'],
  ok: { status: 200, schema: Customer, description: 'The customer after the change.' },
  example: {
    id: exampleIds.customer,
    params: { email: null, address: { city: 'Kribi' } },
    answer: { id: exampleIds.customer, email: null },
  },
})

export const deleteCustomer = operation({
  id: 'customers.del',
  surface: 'v1',
  method: 'DELETE',
  path: '/v1/customers/{id}',
  summary: 'Erase a customer for good',
  description: [
    'Erases a customer and every stored copy of the identifiers, and writes `customer.deleted` (spec 3.2). A customer of a payment intent, checkout session or invoice is kept without identifiers and has `deleted: true`. Any other customer is removed.',
    'A second DELETE of a kept customer has the same answer. A second DELETE of a removed customer is a 404, also for a retry after a lost answer: that 404 can mean that this call deleted it. The answer is never a 409.',
  ],
  params: z.object({ id: idParam('cus') }),
  errors: [],
  ok: { status: 200, schema: DeletedCustomer, description: 'The id of the erased customer.' },
  example: {
    id: exampleIds.customer,
    answer: { id: exampleIds.customer, object: 'customer', deleted: true },
  },
})
