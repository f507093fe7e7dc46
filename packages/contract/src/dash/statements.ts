import { z } from 'zod'
import { exampleIds } from '../examples.ts'
import { currencyField, idField, minorUnits, objectField, railCodeField } from '../fields.ts'
import { idFilter, idParam, wholeNumber } from '../form.ts'
import { listOf } from '../list.ts'
import { operation } from '../operation.ts'
import { chargeStatus, reportedMoney } from './charges.ts'
import { AuditEntry } from './audit-entries.ts'
import { change, instant, instantOrNull, reasonField, staffRead, textOrNull } from './common.ts'
import { statementVerdicts } from '../words.ts'

const statementStatuses = ['reading', 'matching', 'matched', 'closed', 'replaced'] as const

export type StatementVerdict = (typeof statementVerdicts)[number]

/** Bytes of a part of a file. docs/spec-gaps.md, reconciliation. */
export const STATEMENT_PART_BYTES_MAX = 1024 * 1024
/** Parts of a file. */
export const STATEMENT_PARTS_MAX = 100_000

const PAGE_ROWS_MAX = 100
const PAGE_ROWS_DEFAULT = 50
const ROW_NUMBER_MAX = 2_000_000_000

const count = (what: string) => z.int().describe(`How many ${what} there are.`)

const seenCount = (name: string) =>
  wholeNumber(0, ROW_NUMBER_MAX)
    .optional()
    .describe(`\`${name}\` of the statement as the caller saw it. Not compared if it is absent.`)

const person = z.strictObject({
  subject: z.string().describe('The staff member’s subject at the OpenID provider.'),
  name: z.string().describe('The staff member’s name.'),
})

const statementFields = {
  id: idField('st', exampleIds.statement),
  object: objectField('statement'),
  rail: railCodeField('The rail whose operator wrote it.'),
  day: z
    .string()
    .regex(/^\d{4}-\d\d-\d\d$/)
    .describe('The day that it covers, in the operator’s zone, such as `2026-11-21`.'),
  from: instant('The start of the day.'),
  until: instant('The end of the day, which it does not include.'),
  status: z
    .enum(statementStatuses)
    .describe(
      '`reading`: its lines are being uploaded. `matching`: they are being compared. `matched`: a person looks at the differences. `closed`: a person has ended the day. `replaced`: a newer statement of the day took its place.',
    ),
  parts: count('parts of the file that were taken'),
  lines: count('lines of the file after its heads'),
  money_lines: count('lines that moved money'),
  charges_sum: minorUnits('Sum of the lines that collected money, less those that were reversed.'),
  payouts_sum: minorUnits('Sum of the lines that paid money out, less those that came back.'),
  matched: count('lines that the ledger has with the same amount'),
  ours_only: count(
    'paid objects of the day, or of an earlier day that was compared before, that no statement of the rail lists',
  ),
  theirs_only: count('lines that the ledger does not have as paid, and lines that moved money back'),
  amount_differs: count('lines whose amount or currency is not the ledger’s'),
  duplicate: count(
    'lines of duplicate charges without a return, and lines that repeat another one of the file or of another statement',
  ),
  created_by: person.describe('Who began it.'),
  created: instant('When it was begun.'),
  closed_by: person.nullable().describe('Who closed the day. Null while it is open.'),
  closed_at: instantOrNull('When the day was closed.', 'while it is open'),
} as const

export const Statement = z.strictObject(statementFields).meta({
  id: 'Statement',
  description:
    'An operator’s statement of a rail and a day, compared with the ledger. It changes no payment.',
})
export type Statement = z.infer<typeof Statement>

const StatementDifference = z
  .strictObject({
    n: z.int().describe('The place of the row. The next page begins after it.'),
    line: z
      .int()
      .nullable()
      .describe('The line of the file, after its heads. Null if only the ledger has it.'),
    kind: z
      .enum(['charge', 'payout'])
      .describe('`charge`: money from a payer. `payout`: a refund or a return to one.'),
    verdict: z
      .enum(statementVerdicts)
      .describe(
        '`ours_only`: paid here and in no statement of the rail. `theirs_only`: in the statement, and here unknown or not paid; or a line that moved money back. `amount_differs`: another amount or currency. `duplicate`: money that was collected twice and is not returned, or a line that repeats another one: it is of the same object, and of another transaction or of the same file.',
      ),
    reference: textOrNull('The service’s reference.', 'if the line names none'),
    transaction: textOrNull('The operator’s transaction.', 'if the line names none'),
    amount: z
      .int()
      .nullable()
      .describe(
        'Amount of the line, in minor units. Negative if it moved money back: a charge that the operator reversed, or a payout that came back. Null if only the ledger has it.',
      ),
    currency: textOrNull('The currency of the line.', 'if it is not known'),
    at: instantOrNull('When the operator says that it happened.', 'if the line does not say'),
    merchant: textOrNull('The client id of the merchant.', 'if the ledger does not have it'),
    about: textOrNull('The id of the charge, refund or return.', 'if the ledger does not have it'),
    payment_intent: textOrNull('The id of its payment.', 'if the ledger does not have it'),
    ledger_amount: z
      .int()
      .nullable()
      .describe('Amount of the ledger, in minor units. Null if the ledger does not have it.'),
    ledger_currency: currencyField
      .nullable()
      .describe('The currency of that amount. Null if the ledger does not have the payment, or no longer.'),
    reported: z
      .strictObject(reportedMoney)
      .nullable()
      .describe(
        'What the rail reports as paid for the charge, if its amount or currency differs from the charge’s. Null if there is none.',
      ),
    charge_status: chargeStatus.nullable().describe('The state of the charge now. Null if it is no charge.'),
    unproven: z
      .boolean()
      .describe(
        'Whether the charge is paid by a ruling alone. Nobody can return such a charge before there is evidence.',
      ),
    payer_known: z
      .boolean()
      .nullable()
      .describe(
        'Whether the number that paid the charge is known. A return to another number names it, and needs a second staff member. Null if it is no charge.',
      ),
    returned: z.boolean().describe('Whether a return of the charge exists that its rail has not refused.'),
  })
  .meta({ id: 'StatementDifference', description: 'A row in which a statement and the ledger differ.' })
export type StatementDifference = z.infer<typeof StatementDifference>

export const StatementDetail = z
  .strictObject({
    ...statementFields,
    differences: z
      .array(StatementDifference)
      .describe('The rows that differ, in the order of the file; then those that only the ledger has.'),
    has_more: z.boolean().describe('Whether more differences follow.'),
  })
  .meta({ id: 'StatementDetail', description: 'A statement with a page of its differences.' })

export const listStatements = staffRead({
  id: 'statements.list',
  path: '/statements',
  summary: 'List the statements of operators',
  description: ['Pages through the statements of all rails, newest first, without replaced ones.'],
  query: z.strictObject({
    rail: z.string('must be a single rail').optional().describe('Shows statements of this rail.'),
    day: z.iso
      .date('must be a single day such as 2026-11-21')
      .optional()
      .describe('Shows statements of this day, in the operator’s zone.'),
    starting_after: idFilter('st').describe('The id of a statement. The page holds older ones.'),
    limit: wholeNumber(1, PAGE_ROWS_MAX).default(PAGE_ROWS_DEFAULT).describe('Statements of a page.'),
  }),
  schema: listOf(Statement),
  ok: 'One page of statements.',
  example: { params: { rail: 'mtn_momo_cm' }, answer: { object: 'list' } },
})

export const retrieveStatement = staffRead({
  id: 'statements.retrieve',
  path: '/statements/{id}',
  summary: 'Show a statement and its differences',
  description: ['Shows the counts of a statement, and a page of the rows in which it and the ledger differ.'],
  params: z.object({ id: idParam('st') }),
  query: z.strictObject({
    verdict: z
      .enum(statementVerdicts, `must be one of ${statementVerdicts.join(', ')}`)
      .optional()
      .describe('Shows rows with this verdict.'),
    after: wholeNumber(0, ROW_NUMBER_MAX).default(0).describe('Shows rows after the one with this `n`.'),
    limit: wholeNumber(1, PAGE_ROWS_MAX).default(PAGE_ROWS_DEFAULT).describe('Rows of a page.'),
  }),
  schema: StatementDetail,
  ok: 'The statement.',
  example: { id: exampleIds.statement, answer: { object: 'statement', status: 'matched' } },
})

export const createStatement = operation({
  id: 'dash.statements.create',
  surface: 'dash',
  method: 'POST',
  role: 'operator',
  path: '/dash/v1/statements',
  summary: 'Begin a statement of a rail and a day',
  description: [
    'Begins a statement, and replaces an earlier one of the day unless the day is closed. The id is the entry’s `target`.',
    `Then send the file in parts, in their order: POST \`/dash/v1/statements/{id}/lines?part=0\` with \`content-type: text/csv\`, whole lines of UTF-8, at most ${STATEMENT_PART_BYTES_MAX} bytes each. A part that was taken before changes nothing. The configuration (\`statements\`) says which column is what.`,
    'The optional `lines_before=0` counts the line feeds of the file before the part. An error then names a line of the file, otherwise a line of the part.',
  ],
  errors: ['statement_begun', 'statement_closed'],
  body: z.strictObject({
    rail: z.string('is required').min(1, 'is required').describe('The rail whose operator wrote the file.'),
    day: z
      .string('is required')
      .regex(/^\d{4}-\d\d-\d\d$/, 'must be a day such as 2026-11-21')
      .describe('The day that the file covers, in the operator’s zone.'),
    reason: reasonField,
  }),
  ok: {
    status: 200,
    schema: AuditEntry,
    description: 'The audit entry that was written with the statement.',
  },
  example: {
    params: { rail: 'mtn_momo_cm', day: '2026-11-21', reason: 'The statement of the day.' },
    answer: { object: 'audit_entry', action: 'statement.create' },
  },
})

/** Not a change of the ledger: each call continues the comparison. */
export const compareStatement = operation({
  id: 'dash.statements.compare',
  surface: 'dash',
  method: 'POST',
  role: 'operator',
  keyless: true,
  path: '/dash/v1/statements/{id}/compare',
  summary: 'Continue to compare a statement with the ledger',
  description: [
    'Compares for at most a few seconds and answers with the statement. Call it again until the statement is `matched`. It changes no payment. The first call ends the upload, if every part of the file was taken, and writes that to the audit log.',
  ],
  errors: ['statement_incomplete', 'statement_unreadable'],
  params: z.object({ id: idParam('st') }),
  body: z.strictObject({
    parts: wholeNumber(0, STATEMENT_PARTS_MAX)
      .optional()
      .describe(
        'How many parts the file has. Required while the statement is `reading`, and ignored afterwards.',
      ),
  }),
  ok: { status: 200, schema: Statement, description: 'The statement.' },
  example: {
    id: exampleIds.statement,
    params: { parts: 1 },
    answer: { object: 'statement', status: 'matched' },
  },
})

export const closeStatement = change({
  id: 'statements.close',
  role: 'operator',
  path: '/statements/{id}/close',
  prefix: 'st',
  body: {
    seen_matched: seenCount('matched'),
    seen_ours_only: seenCount('ours_only'),
    seen_theirs_only: seenCount('theirs_only'),
    seen_amount_differs: seenCount('amount_differs'),
    seen_duplicate: seenCount('duplicate'),
  },
  summary: 'Close the day of a statement',
  description: [
    'Ends the day with the counts that it has, which the audit log keeps. It changes no payment. A closed day takes no other statement until it is reopened.',
    'If a count is no longer the one that the caller saw, the day stays open and the answer is a 409 `statement_changed`.',
  ],
  errors: ['statement_not_matched', 'statement_changed'],
  example: {
    id: exampleIds.statement,
    params: { reason: 'All differences are explained.' },
    answer: { object: 'audit_entry', action: 'statement.close', target: exampleIds.statement },
  },
})

export const reopenStatement = change({
  id: 'statements.reopen',
  role: 'operator',
  path: '/statements/{id}/reopen',
  prefix: 'st',
  summary: 'Reopen a closed day',
  description: ['Takes back that the day was closed. The audit log keeps both.'],
  errors: ['statement_not_closed'],
  example: {
    id: exampleIds.closedStatement,
    params: { reason: 'The operator sent a newer file.' },
    answer: { object: 'audit_entry', action: 'statement.reopen', target: exampleIds.closedStatement },
  },
})
