import { z } from 'zod'
import { boundedText } from '../form.ts'
import { staffQuestion } from './common.ts'

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

/** What an id, a rail's reference or a phone number belongs to. */
export const LookupResult = z.strictObject({
  object: z.literal('lookup_result'),
  matches: z.array(
    z.strictObject({
      kind: z.enum(lookupKinds),
      id: z.string(),
      merchant: z.string(),
      /** Where a charge or a session is shown. */
      payment_intent: z.string().nullable(),
    }),
  ),
  /** Where it reads as a phone number: what lists take as `payer`, for twelve hours. */
  payer: z.string().nullable(),
})
export type LookupResult = z.infer<typeof LookupResult>

/** By POST: what is looked for may be a payer's number, and an address is kept by browsers and proxies. */
export const lookUp = staffQuestion({
  id: 'lookup.retrieve',
  path: '/lookup',
  body: z.strictObject({ q: boundedText(128) }),
  schema: LookupResult,
})
