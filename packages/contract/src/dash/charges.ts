import { z } from 'zod'
import { currencies } from '../currency.ts'
import { listOf } from '../list.ts'
import { change, instant, staffListQuery, staffRead } from './common.ts'

export const chargeStatuses = [
  'submitting',
  'live',
  'unconfirmed',
  'succeeded',
  'duplicate',
  'failed',
  'abandoned',
] as const

const chargeRulings = ['succeeded', 'failed'] as const

/** One try to collect an intent on a rail, with all that is kept of what the rail said. */
export const StaffCharge = z.strictObject({
  id: z.string().regex(/^ch_[0-9a-f]{32}$/),
  object: z.literal('charge'),
  merchant: z.string(),
  payment_intent: z.string(),
  customer: z.string().nullable(),
  rail: z.string(),
  status: z.enum(chargeStatuses),
  amount: z.int(),
  currency: z.enum(currencies),
  payer_msisdn: z.string().nullable(),
  reference: z.string(),
  rail_txn_id: z.string().nullable(),
  rail_code: z.string().nullable(),
  rail_message: z.string().nullable(),
  created: instant,
  submit_deadline: instant,
  acknowledged_at: instant.nullable(),
  settled_at: instant.nullable(),
  last_query_at: instant.nullable(),
  next_query_at: instant.nullable(),
  not_found_count: z.int(),
  ruling: z.enum(chargeRulings).nullable(),
  /** It succeeded by a ruling that neither the rail nor a statement of the rail's bears out: it cannot be given back yet. */
  unproven: z.boolean(),
  request_id: z.string().nullable(),
})
export type StaffCharge = z.infer<typeof StaffCharge>

export const listStuckCharges = staffRead({
  id: 'stuckCharges.list',
  path: '/stuck_charges',
  query: z.strictObject({ ...staffListQuery('ch'), rail: z.string('must be a single rail').optional() }),
  schema: listOf(StaffCharge),
})

export const queryCharge = change({
  id: 'charges.query',
  role: 'operator',
  path: '/charges/{id}/query',
  prefix: 'ch',
})

/** The transaction's own reference in the rail's statement or portal. Never a number or a name. */
const statement = z
  .string('must be a single reference')
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9._/:-]{2,63}$/,
    'must be a reference of 3 to 64 letters, digits and . _ / : -',
  )

/** `statement` goes with `succeeded` alone; a charge that is unproven is ruled once more to bring it. */
export const resolveCharge = change({
  id: 'charges.resolve',
  isGrave: true,
  role: 'operator',
  path: '/charges/{id}/resolve',
  prefix: 'ch',
  body: {
    outcome: z.enum(chargeRulings, `must be one of ${chargeRulings.join(', ')}`),
    statement: statement.optional(),
  },
})
