import { z } from 'zod'
import { exampleIds } from '../examples.ts'
import { idParam } from '../form.ts'
import { ActivityEntry } from './activity.ts'
import { outcomeFields } from './analytics.ts'
import { AttentionItem } from './attention-items.ts'
import { chargeStatus } from './charges.ts'
import { instantOrNull, staffRead, textOrNull } from './common.ts'
import { StaffRail } from './deployment.ts'

/** Rows of each list of a rail's page. docs/spec-gaps.md, staff. */
export const RAIL_ERRORS_MAX = 20
export const RAIL_ALERTS_MAX = 50

export const StaffRailDetail = StaffRail.extend({
  health: z
    .strictObject(outcomeFields)
    .describe('The charges of the last hour, by the time at which they were opened.'),
  open: z
    .array(
      z.strictObject({
        status: chargeStatus,
        count: z.int().describe('How many charges are in this state.'),
      }),
    )
    .describe(
      'The charges whose outcome is open, by state, among the newest `open_searched_at_most` open charges of all rails.',
    ),
  open_searched_at_most: z.int().describe('How many of the newest open charges of all rails are looked at.'),
  open_is_cut: z
    .boolean()
    .describe('Whether there are more open charges than that. Some of these may be of this rail.'),
  last_errors: z
    .array(
      z.strictObject({
        charge: z.string().describe('The id of the failed charge.'),
        payment_intent: z.string().describe('The id of its payment.'),
        merchant: z.string().describe('The client id of its merchant.'),
        code: textOrNull('The code that the rail answered.', 'if it gave none'),
        message: textOrNull(
          'The message that the rail answered. `[redacted]` after an erasure.',
          'if it gave none',
        ),
        at: instantOrNull('When the charge was settled.', 'if that is not known'),
      }),
    )
    .describe(
      `The newest failed charges of the last day, newest first: at most ${RAIL_ERRORS_MAX}, among the newest \`looked_at_most\` charges of all rails.`,
    ),
  looked_at_most: z.int().describe('Among how many of the newest charges of all rails the errors are found.'),
  alerts: z
    .array(AttentionItem)
    .describe(`Alerts of the rail, newest first: at most ${RAIL_ALERTS_MAX}, resolved ones included.`),
  timeline: z
    .array(ActivityEntry)
    .describe('Its alerts as they were raised and resolved, and its statements, newest first.'),
}).meta({ id: 'StaffRailDetail', description: 'A rail with its health, its open charges and its alerts.' })
export type StaffRailDetail = z.infer<typeof StaffRailDetail>

export const retrieveStaffRail = staffRead({
  id: 'rails.retrieve',
  path: '/rails/{id}',
  summary: 'Open a rail with its health',
  description: [
    'Shows the last hour of a rail, its charges whose outcome is open, its last errors, its alerts and a timeline.',
  ],
  params: z.object({ id: idParam('rail') }),
  schema: StaffRailDetail,
  ok: 'The rail.',
  example: { id: exampleIds.rail, answer: { id: exampleIds.rail, object: 'rail' } },
})
