import { z } from 'zod'
import { exampleIds } from '../examples.ts'
import { currencyField } from '../fields.ts'
import { boundedText } from '../form.ts'
import { instant, merchantField, staffQuestion, textOrNull } from './common.ts'

const lookupKinds = [
  'payment_intent',
  'charge',
  'refund',
  'event',
  'delivery',
  'customer',
  'invoice',
  'checkout_session',
] as const

const QUESTION_CHARS_MAX = 128

export const LookupResult = z
  .strictObject({
    object: z.literal('lookup_result').describe('The kind of this object: always `lookup_result`.'),
    matches: z
      .array(
        z.strictObject({
          kind: z.enum(lookupKinds).describe('The kind of the object that was found.'),
          id: z.string().describe('The id of the object that was found.'),
          merchant: merchantField,
          payment_intent: textOrNull(
            'The id of the payment intent where the object is shown.',
            'for other kinds than charges, refunds and checkout sessions',
          ),
          status: textOrNull('The state of the object.', 'if its kind has none'),
          amount: z
            .int()
            .nullable()
            .describe('Amount in minor units of the currency. Null if its kind has none.'),
          currency: currencyField.nullable().describe('The currency of the amount. Null if there is none.'),
          created: instant('When the object was created.'),
        }),
      )
      .describe('The objects found, newest first: at most 20 customers and 50 charges for a number.'),
    payer: textOrNull(
      'A handle for the number. Lists accept it as `payer` for 12 hours.',
      'if the text is not a phone number',
    ),
  })
  .meta({
    id: 'LookupResult',
    description: 'The objects that match an id, a rail’s reference or a phone number.',
  })
export type LookupResult = z.infer<typeof LookupResult>

/** A POST, because the text may be a payer's number, and browsers and proxies store addresses. */
export const lookUp = staffQuestion({
  id: 'lookup.retrieve',
  path: '/lookup',
  summary: 'Find objects by id, reference or phone number',
  description: [
    'Finds an object by its id, a charge or refund by its reference at the rail, or customers and charges by a phone number. Four or more digits find the charges whose payer’s number ends with them. It changes nothing.',
    'It is a POST, because the text can be a payer’s number, and browsers and proxies store addresses. A look-up by number is written to the audit log as `number.look_up`.',
  ],
  body: z.strictObject({
    q: boundedText(QUESTION_CHARS_MAX).describe(
      `An id, a rail’s reference, a phone number or its last digits, 1 to ${QUESTION_CHARS_MAX} characters.`,
    ),
  }),
  schema: LookupResult,
  ok: 'What was found.',
  example: {
    params: { q: exampleIds.intent },
    answer: { object: 'lookup_result', payer: null },
  },
})
