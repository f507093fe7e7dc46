import { z } from 'zod'
import { listOf } from '../list.ts'
import { AuditEntry, auditActions } from './audit-entries.ts'
import { staffListQuery, staffRead } from './common.ts'

export const listAuditEntries = staffRead({
  id: 'auditEntries.list',
  path: '/audit_entries',
  query: z.strictObject({
    ...staffListQuery('au'),
    actor: z.string('must be a single subject').min(1, 'must not be empty').optional(),
    action: z.enum(auditActions, `must be one of ${auditActions.join(', ')}`).optional(),
    target: z.string('must be a single id').min(1, 'must not be empty').optional(),
  }),
  schema: listOf(AuditEntry),
})
