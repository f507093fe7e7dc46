import { z } from 'zod'
import { listOf } from '../list.ts'
import { AuditEntry, auditActions } from './audit-entries.ts'
import { staffListQuery, staffRead } from './common.ts'

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
      .describe('Shows entries about the object with this id.'),
  }),
  schema: listOf(AuditEntry),
  ok: 'One page of entries.',
  example: { params: { limit: 10 }, answer: { object: 'list' } },
})
