import { z } from 'zod'
import { staffRoles } from '../operation.ts'
import { auditActions } from '../words.ts'

export type AuditAction = (typeof auditActions)[number]

const Facts = z.record(z.string(), z.union([z.string(), z.int(), z.boolean(), z.null()]))

/**
 * One change or one look-up of a person, with its author, object and reason. Written with the change and never
 * modified.
 */
export const AuditEntry = z
  .strictObject({
    id: z
      .string()
      .regex(/^au_[0-9a-f]{32}$/)
      .describe('Identifier: `au_` and 32 hexadecimal digits.'),
    object: z.literal('audit_entry').describe('The kind of this object: always `audit_entry`.'),
    action: z
      .enum(auditActions)
      .describe(
        'The action. `customer.view`, `number.look_up` and `person.look_up` are reads of personal data. `export.create` is a file of rows that a member loads. `rail_finding.record` is a reference that only a rail knows, found by an operator after a restore, and `rail_finding.close` its end by an operator’s decision. `statement.create` is the beginning of an upload (`status` after it is `reading`) and its end (`matching`). `merchant_client.move` is a step of an operator’s move of the merchant to or from another cell. All others are changes.',
      ),
    actor: z
      .strictObject({
        subject: z
          .string()
          .describe(
            'The staff member’s subject at the OpenID provider, or `operator:` and the name given to a command.',
          ),
        name: z.string().describe('The staff member’s name at that time.'),
        role: z.enum(staffRoles).describe('The staff member’s role at that time.'),
      })
      .describe('Who did it.'),
    target: z
      .string()
      .describe(
        'The id of the object that changed or was read. For a look-up by number, name or e-mail, a keyed hash of it; for the list of customers, `customers`. For a finding, the rail and the reference. For an export, what it lists.',
      ),
    merchant: z
      .string()
      .nullable()
      .describe(
        'The client id of the merchant whose object it is. Null for a look-up by number, name or e-mail and for the list of customers, which belongs to no merchant, for a finding whose merchant is not known, for a statement, for an export of all merchants, for a bulk job of selected objects, and for a saved view.',
      ),
    reason: z.string().nullable().describe('Why, in the member’s own words. Null for a read.'),
    before: Facts.describe(
      'Facts of the object before the change. Never a name, number or address of a person.',
    ),
    after: Facts.describe(
      'Facts of the object after the change. Never a name, number or address of a person.',
    ),
    request_id: z.string().describe('The `request-id` of the request, as in the request log.'),
    created: z.int().describe('When the entry was written, in Unix seconds.'),
  })
  .meta({
    id: 'AuditEntry',
    description:
      'One change by a staff member, or one read of personal data. It is written with the change and never modified.',
  })
export type AuditEntry = z.infer<typeof AuditEntry>
