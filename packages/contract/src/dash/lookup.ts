import { z } from 'zod'
import { exampleIds } from '../examples.ts'
import { currencyField } from '../fields.ts'
import { boundedText } from '../form.ts'
import { instant, merchantField, staffQuestion, textOrNull } from './common.ts'

const lookupKinds = [
  'payment_intent',
  'charge',
  'refund',
  'charge_return',
  'event',
  'delivery',
  'customer',
  'invoice',
  'checkout_session',
] as const

/** How a text can match the object that was found. */
const lookupSigns = [
  'id',
  'reference',
  'rail_transaction',
  'metadata',
  'client_reference',
  'number',
  'email',
  'name',
] as const

/** docs/spec-gaps.md, staff: enough for a whole SMS of an operator. */
const QUESTION_CHARS_MAX = 500

export const LookupResult = z
  .strictObject({
    object: z.literal('lookup_result').describe('The kind of this object: always `lookup_result`.'),
    matches: z
      .array(
        z.strictObject({
          kind: z.enum(lookupKinds).describe('The kind of the object that was found.'),
          matched: z
            .enum(lookupSigns)
            .describe(
              'What the text is of the object. `reference`: the service’s reference at the rail. `rail_transaction`: the rail’s own. `client_reference`: the `client_reference_id` of a checkout session. `number`: the payer’s number or its end.',
            ),
          id: z.string().describe('The id of the object that was found.'),
          merchant: merchantField,
          payment_intent: textOrNull(
            'The id of the payment intent where the object is shown.',
            'for other kinds than charges, refunds, returns and checkout sessions',
          ),
          status: textOrNull('The state of the object.', 'if its kind has none'),
          amount: z
            .int()
            .nullable()
            .describe('Amount in minor units of the currency. Null if its kind has none.'),
          currency: currencyField.nullable().describe('The currency of the amount. Null if there is none.'),
          name: textOrNull('The name of a customer who was found by name or e-mail.', 'for other matches'),
          created: instant('When the object was created.'),
        }),
      )
      .describe(
        'The objects found, newest first within a kind: at most 50 charges for a number, and 20 objects of each other kind.',
      ),
    payer: textOrNull(
      'A handle for the number. Lists accept it as `payer` for 12 hours.',
      'if the text is not a phone number',
    ),
    amount: z
      .int()
      .nullable()
      .describe(
        'The text as an amount in francs, by which the list of payments can be filtered. Null if it is not an amount.',
      ),
  })
  .meta({
    id: 'LookupResult',
    description:
      'The objects that match an id, a reference, metadata, a phone number, or a customer’s name or e-mail.',
  })
export type LookupResult = z.infer<typeof LookupResult>

/** A POST, because the text may be a payer's number, and browsers and proxies store addresses. */
export const lookUp = staffQuestion({
  id: 'lookup.retrieve',
  path: '/lookup',
  summary: 'Find objects by id, reference, order number, name or phone number',
  description: [
    'Finds an object by its id; charges, refunds and returns by their reference or the rail’s transaction, also within a whole SMS; payments by a value of their metadata, or by `key=value`; checkout sessions by their `client_reference_id`; customers by e-mail or by the words of their name; customers and charges by a phone number. Four or more digits find the charges whose payer’s number ends with them. It changes nothing.',
    'It is a POST, because the text can be a payer’s number or name, and browsers and proxies store addresses. A look-up by number is written to the audit log as `number.look_up`, and one by name or e-mail as `person.look_up`.',
  ],
  body: z.strictObject({
    q: boundedText(QUESTION_CHARS_MAX).describe(
      `An id, a reference, an order number, a name, an e-mail, a phone number or its last digits, or an operator’s SMS: 1 to ${QUESTION_CHARS_MAX} characters.`,
    ),
  }),
  schema: LookupResult,
  ok: 'What was found.',
  example: {
    params: { q: exampleIds.intent },
    answer: { object: 'lookup_result', payer: null },
  },
})
