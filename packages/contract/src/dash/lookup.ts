import { z } from 'zod'
import { boundedText } from '../form.ts'
import { staffRead } from './common.ts'

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
})
export type LookupResult = z.infer<typeof LookupResult>

export const lookUp = staffRead({
  id: 'lookup.retrieve',
  path: '/lookup',
  query: z.strictObject({ q: boundedText(128) }),
  schema: LookupResult,
})
