import { z } from 'zod'
import { exampleIds } from '../examples.ts'
import { boundedText } from '../form.ts'
import { merchantField, staffQuestion, textOrNull } from './common.ts'

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

/** What an id, a rail's reference or a phone number belongs to. */
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
            'unless it is a charge, a refund or a checkout session',
          ),
        }),
      )
      .describe('What was found: at most 20 customers of a number.'),
    payer: textOrNull(
      'A handle for the number that was asked for: lists take it as `payer`, for 12 hours.',
      'if the text is not a phone number',
    ),
  })
  .meta({ id: 'LookupResult', description: 'What an id, a rail’s reference or a phone number belongs to.' })
export type LookupResult = z.infer<typeof LookupResult>

/** By POST: what is looked for may be a payer's number, and an address is kept by browsers and proxies. */
export const lookUp = staffQuestion({
  id: 'lookup.retrieve',
  path: '/lookup',
  summary: 'Find what an id, a reference or a number belongs to',
  description: [
    'Finds an object by its id, a charge or refund by its reference at the rail, or customers by a phone number. It changes nothing.',
    'It is a POST, because browsers and proxies keep addresses, and the text can be a payer’s number. A look-up by number is written to the audit log as `number.look_up`.',
  ],
  body: z.strictObject({
    q: boundedText(QUESTION_CHARS_MAX).describe(
      `An id, a rail’s reference or a phone number, 1 to ${QUESTION_CHARS_MAX} characters.`,
    ),
  }),
  schema: LookupResult,
  ok: 'What was found.',
  example: {
    params: { q: exampleIds.intent },
    answer: { object: 'lookup_result', payer: null },
  },
})
