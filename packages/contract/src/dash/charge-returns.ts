import { z } from 'zod'
import { currencies } from '../currency.ts'
import { Refund } from '../refunds.ts'
import { change, instant } from './common.ts'
import { StaffRefund } from './refunds.ts'

/** A duplicate charge on its way back to who paid it. The number that is paid is on no surface. */
export const StaffChargeReturn = z.strictObject({
  id: z.string().regex(/^rt_[0-9a-f]{32}$/),
  object: z.literal('charge_return'),
  merchant: z.string(),
  charge: z.string(),
  payment_intent: z.string(),
  customer: z.string().nullable(),
  amount: z.int(),
  currency: z.enum(currencies),
  rail: z.string(),
  failure_reason: Refund.shape.failure_reason,
  created: instant,
  ...StaffRefund.pick({
    reference: true,
    instruction: true,
    tries: true,
    next_look_at: true,
    rested_at: true,
    rail_code: true,
    rail_message: true,
    request_id: true,
  }).shape,
})
export type StaffChargeReturn = z.infer<typeof StaffChargeReturn>

/** All of it, to the number that paid; `msisdn` names one where nobody knows any more who paid. */
export const returnCharge = change({
  id: 'charges.return',
  isGrave: true,
  role: 'operator',
  path: '/charges/{id}/return',
  prefix: 'ch',
  body: { msisdn: z.string('must be a single number').optional() },
})
