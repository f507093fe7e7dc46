import { z } from 'zod'
import { objectField } from '../fields.ts'
import { createdFilter } from '../form.ts'
import { instant, merchantFilter, staffQuestion } from './common.ts'
import { zone } from './zones.ts'
import { exportKinds } from '../words.ts'

/** Rows of a file, and days that it covers. docs/spec-gaps.md, exports. */
export const EXPORT_ROWS_MAX = 1_000_000
export const EXPORT_DAYS_MAX = 366

export type ExportKind = (typeof exportKinds)[number]

const exportFormats = ['csv', 'xlsx'] as const
export type ExportFormat = (typeof exportFormats)[number]

const kind = z.enum(exportKinds, `must be one of ${exportKinds.join(', ')}`)
const format = z.enum(exportFormats, `must be one of ${exportFormats.join(', ')}`)

export const ExportFile = z
  .strictObject({
    object: objectField('export'),
    id: z
      .string()
      .regex(/^au_[0-9a-f]{32}$/)
      .describe('The audit entry of the export: `au_` and 32 hexadecimal digits.'),
    of: kind.describe('What the file lists.'),
    format: format.describe('The format of the file.'),
    from: instant('The start of the time that the file covers.'),
    until: instant(
      'The end of that time, which it does not include. At the latest two and a half minutes ago, because younger rows may not be committed yet. The next file can begin there.',
    ),
    url: z
      .string()
      .describe('The path of the file. Only its author can load it, and only until `expires_at`.'),
    expires_at: instant('Until when the file can be loaded.'),
  })
  .meta({ id: 'ExportFile', description: 'A file of rows, which its author can load for a few minutes.' })
export type ExportFile = z.infer<typeof ExportFile>

export const createExport = staffQuestion({
  id: 'exports.create',
  path: '/exports',
  summary: 'Make a file of payments, charges, refunds or days',
  description: [
    'Writes the audit entry `export.create` and answers with the path of a file. The service reads the rows while the file is loaded, oldest first for each merchant. It holds neither numbers nor names of payers.',
    `A file has at most ${EXPORT_ROWS_MAX.toLocaleString('en')} rows, and says so in its last row if there are more. Amounts are in whole units of the currency. A text that a spreadsheet would run as a formula begins with an apostrophe in CSV.`,
  ],
  body: z.strictObject({
    of: kind
      .default('payment_intents')
      .describe(
        'What the file lists: `finance_summary` has a row for each day, merchant, rail and currency.',
      ),
    format: format.default('csv').describe('`csv`: UTF-8 with a byte order mark. `xlsx`: one sheet.'),
    created: createdFilter.describe(
      `The time that the file covers, such as \`created[gte]=1767225600\`. At most ${EXPORT_DAYS_MAX} days. Default: the last day; for \`finance_summary\`, what the summary covers by default.`,
    ),
    zone,
    merchant: merchantFilter,
    rail: z.string('must be a single rail').optional().describe('Lists what is on the rail with this code.'),
  }),
  schema: ExportFile,
  errors: ['merchant_moved'],
  ok: 'The path of the file.',
  example: {
    params: { of: 'charges', format: 'csv', zone: 'douala' },
    answer: { object: 'export', of: 'charges', format: 'csv' },
  },
})
