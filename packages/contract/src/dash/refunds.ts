import { z } from 'zod'
import { idFilter } from '../form.ts'
import { listOf } from '../list.ts'
import { Refund, refundStatuses } from '../refunds.ts'
import { instant, staffListQuery, staffRead } from './common.ts'

const instructionStates = ['unsent', 'sent', 'accepted', 'refused'] as const

/** A refund, and what its rail was told and said. The number that is paid is on no surface. */
export const StaffRefund = Refund.extend({
  merchant: z.string(),
  customer: z.string().nullable(),
  reference: z.string(),
  instruction: z.enum(instructionStates),
  /** The worker's looks at it; null once it looks no more. */
  tries: z.int().nullable(),
  next_look_at: instant.nullable(),
  /** Since when nobody looks, because what a look came to could not be written. */
  rested_at: instant.nullable(),
  rail_code: z.string().nullable(),
  rail_message: z.string().nullable(),
  request_id: z.string().nullable(),
})
export type StaffRefund = z.infer<typeof StaffRefund>

export const listStaffRefunds = staffRead({
  id: 'refunds.list',
  path: '/refunds',
  query: z.strictObject({
    ...staffListQuery('re'),
    status: z.enum(refundStatuses, `must be one of ${refundStatuses.join(', ')}`).optional(),
    instruction: z.enum(instructionStates, `must be one of ${instructionStates.join(', ')}`).optional(),
    rail: z.string('must be a single rail').optional(),
    payment_intent: idFilter('pi'),
    customer: idFilter('cus'),
  }),
  schema: listOf(StaffRefund),
})
