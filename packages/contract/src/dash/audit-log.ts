import { z } from 'zod'
import { listOf } from '../list.ts'
import { AuditEntry } from './audit-entries.ts'
import { staffListQuery, staffRead } from './common.ts'
import { auditActions } from '../words.ts'

export const StaffColleague = z
  .strictObject({
    id: z.string().describe('The staff member’s subject at the OpenID provider: the filter `actor`.'),
    object: z.literal('staff_colleague').describe('The kind of this object: always `staff_colleague`.'),
    name: z.string().describe('The staff member’s name, as one of their entries has it.'),
  })
  .meta({ id: 'StaffColleague', description: 'A staff member whom the audit log names.' })
export type StaffColleague = z.infer<typeof StaffColleague>

/** Not paged: a deployment has few staff. */
export const listColleagues = staffRead({
  id: 'auditEntries.listColleagues',
  path: '/colleagues',
  summary: 'List the staff members whom the audit log names',
  description: ['Lists everybody who has an entry in the audit log, by name: at most 500.'],
  schema: listOf(StaffColleague),
  ok: 'All staff members with an entry.',
  example: { answer: { object: 'list', has_more: false } },
})

export const listAuditEntries = staffRead({
  id: 'auditEntries.list',
  path: '/audit_entries',
  summary: 'List changes and reads of personal data by staff',
  description: ['Pages through the audit log, newest first. All given filters must hold.'],
  query: z.strictObject({
    ...staffListQuery('au'),
    actor: z
      .string('must be a single subject')
      .min(1, 'must not be empty')
      .optional()
      .describe('Shows entries of the staff member with this subject.'),
    action: z
      .enum(auditActions, `must be one of ${auditActions.join(', ')}`)
      .optional()
      .describe('Shows entries of this action.'),
    target: z
      .string('must be a single id')
      .min(1, 'must not be empty')
      .optional()
      .describe(
        'Shows entries about the object with this id. The id of a payment also shows entries about its charges.',
      ),
  }),
  schema: listOf(AuditEntry),
  ok: 'One page of entries.',
  example: { params: { limit: 10 }, answer: { object: 'list' } },
})
