import { z } from 'zod'
import { objectField, railCodeField } from '../fields.ts'
import { wholeNumber } from '../form.ts'
import { listOf } from '../list.ts'
import { change, instant, staffRead, textOrNull } from './common.ts'

const findingAnswers = ['succeeded', 'pending', 'unknown_status', 'failed', 'not_found', 'unasked'] as const

/** Open findings that are shown, oldest first. docs/spec-gaps.md, reconciliation. */
export const RAIL_FINDINGS_MAX = 200
const REVISION_MAX = 2_000_000_000

export const RailFinding = z
  .strictObject({
    id: z.string().describe('The rail, the kind and the reference, with colons between them.'),
    object: objectField('rail_finding'),
    rail: railCodeField('The rail that knows the reference.'),
    kind: z.enum(['charge', 'payout']).describe('`charge`: money from a payer. `payout`: money to one.'),
    reference: z.string().describe('The reference that this database does not have.'),
    answer: z
      .enum(findingAnswers)
      .describe(
        'What the rail says of it. `unasked`: it answers for no reference alone, and a statement lists it.',
      ),
    amount: z
      .int()
      .nullable()
      .describe('Amount that the rail reports, in minor units. Null if it names none.'),
    currency: textOrNull('The currency that the rail reports, in its own spelling.', 'if it names none'),
    transaction: textOrNull('The rail’s own transaction.', 'if it names none'),
    merchant: textOrNull(
      'The client id of the merchant, from a log line or a statement.',
      'if it is not known',
    ),
    revision: z
      .int()
      .describe(
        'Grows whenever the rail gives another answer. To close the finding, send the one that was seen.',
      ),
    created: instant('When it was found.'),
  })
  .meta({
    id: 'RailFinding',
    description: 'A reference that its rail knows and this database does not, found after a restore.',
  })
export type RailFinding = z.infer<typeof RailFinding>

export const listRailFindings = staffRead({
  id: 'railFindings.list',
  path: '/rail_findings',
  summary: 'List references that only their rail knows',
  description: [
    `Lists the open findings of \`reconcile:rails\`, oldest first and at most ${RAIL_FINDINGS_MAX}. The list is not paged: \`has_more\` says whether there are more, which appear as others are closed.`,
  ],
  schema: listOf(RailFinding),
  ok: 'The open findings.',
  example: { answer: { object: 'list' } },
})

export const closeRailFinding = change({
  id: 'railFindings.close',
  role: 'operator',
  path: '/rail_findings/{id}/close',
  prefix: 'finding',
  body: {
    seen_revision: wholeNumber(0, REVISION_MAX)
      .optional()
      .describe('`revision` of the finding as the caller saw it. Nothing is compared without it.'),
  },
  summary: 'End a finding once somebody has decided about its money',
  description: [
    'Ends the finding and changes no payment. A later answer of the rail opens it again only if it differs.',
    'If the rail has given another answer since the caller saw the finding, it stays open and the answer is a 409 `finding_changed`.',
  ],
  errors: ['finding_changed'],
  example: {
    id: 'mtn_momo_cm:charge:9d0c1f66-5b0e-4a55-9d3e-1f1f5a1f0c11',
    params: { seen_revision: 1, reason: 'The operator has paid it back.' },
    answer: { refused: 'resource_missing' },
  },
})
