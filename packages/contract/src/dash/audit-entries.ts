import { z } from 'zod'
import { staffRoles } from '../operation.ts'

/** Every change that staff can make, and every read that shows them a person. */
export const auditActions = [
  'payment_intent.cancel',
  'refund.create',
  'charge.query',
  'charge.resolve',
  'charge.return',
  'approval.request',
  'approval.approve',
  'approval.decline',
  'approval.lapse',
  'delivery.replay',
  'fanout.retry',
  'customer.erase',
  'invoice.void',
  'invoice.mark_uncollectible',
  'merchant_client.disable',
  'merchant_client.enable',
  'customer.view',
  'number.look_up',
] as const
export type AuditAction = (typeof auditActions)[number]

/** Facts of an object that a change touched: words and numbers of ours, nothing of a person. */
const Facts = z.record(z.string(), z.union([z.string(), z.int(), z.boolean(), z.null()]))

/** One change, or one look at a person: who, at what, and why. Written with it, and never changed. */
export const AuditEntry = z.strictObject({
  id: z.string().regex(/^au_[0-9a-f]{32}$/),
  object: z.literal('audit_entry'),
  action: z.enum(auditActions),
  actor: z.strictObject({ subject: z.string(), name: z.string(), role: z.enum(staffRoles) }),
  target: z.string(),
  /** Null of a look-up by number, which is of no merchant; its target is the number's keyed hash. */
  merchant: z.string().nullable(),
  /** Null of a read. */
  reason: z.string().nullable(),
  before: Facts,
  after: Facts,
  request_id: z.string(),
  created: z.int(),
})
export type AuditEntry = z.infer<typeof AuditEntry>
