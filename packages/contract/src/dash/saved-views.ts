import { z } from 'zod'
import { exampleIds } from '../examples.ts'
import { idField, objectField } from '../fields.ts'
import { boundedText } from '../form.ts'
import { listOf } from '../list.ts'
import { change, collectionChange, instant, staffRead } from './common.ts'

/** The screens whose lists have saved views, by their paths. */
const viewLists = [
  'attention',
  'payments',
  'charges',
  'refunds',
  'approvals',
  'invoices',
  'customers',
  'deliveries',
  'events',
  'fanouts',
  'bulk-jobs',
  'audit-log',
] as const

/** docs/spec-gaps.md, staff. */
const NAME_CHARS_MAX = 60
const SEARCH_CHARS_MAX = 1_000
/** Views of others that are shown. */
export const SHARED_VIEWS_MAX = 200

export const SavedView = z
  .strictObject({
    id: idField('vw', exampleIds.view),
    object: objectField('saved_view'),
    list: z.enum(viewLists).describe('The screen of the list, by its path.'),
    name: z.string().describe('The name of the view.'),
    search: z
      .string()
      .describe('The filters, as the address of the screen has them, without the question mark.'),
    shared: z.boolean().describe('Whether all staff members have the view.'),
    owner: z
      .strictObject({
        subject: z.string().describe('The staff member’s subject at the OpenID provider.'),
        name: z.string().describe('The staff member’s name.'),
      })
      .describe('The staff member who saved it.'),
    created: instant('When it was saved.'),
  })
  .meta({ id: 'SavedView', description: 'The filters of a list under a name.' })
export type SavedView = z.infer<typeof SavedView>

export const listSavedViews = staffRead({
  id: 'savedViews.list',
  path: '/saved_views',
  summary: 'List the saved views of the caller and of all',
  description: [
    `Lists the views that the caller has saved, and the newest ${SHARED_VIEWS_MAX} that others share, each of both oldest first. The list is not paged: \`has_more\` says whether others share more.`,
  ],
  schema: listOf(SavedView),
  ok: 'The views.',
  example: { answer: { object: 'list', has_more: false } },
})

export const saveView = collectionChange({
  id: 'savedViews.create',
  role: 'operator',
  path: '/saved_views',
  body: {
    list: z.enum(viewLists, `must be one of ${viewLists.join(', ')}`).describe('The screen of the list.'),
    name: boundedText(NAME_CHARS_MAX)
      .refine((text) => text.trim() !== '', 'must not be blank')
      .describe(`The name of the view, 1 to ${NAME_CHARS_MAX} characters.`),
    search: z
      .string('is required')
      .max(SEARCH_CHARS_MAX, `must have at most ${SEARCH_CHARS_MAX} characters`)
      .describe(
        'The filters, as the address of the screen has them, without the question mark. `payer` is left out, because its handle is over after 12 hours.',
      ),
    shared: z.enum(['yes', 'no'], 'must be yes or no').describe('Whether all staff members get the view.'),
  },
  summary: 'Save the filters of a list',
  description: [
    'Saves the filters of a list under a name, for the caller or for all. A staff member has at most 50 views.',
  ],
  errors: [],
  example: {
    params: {
      list: 'payments',
      name: 'Declined',
      search: 'charge=failed',
      shared: 'no',
      reason: 'For my shift.',
    },
    answer: { object: 'audit_entry', action: 'view.save' },
  },
})

export const removeView = change({
  id: 'savedViews.remove',
  role: 'operator',
  path: '/saved_views/{id}/remove',
  prefix: 'vw',
  summary: 'Delete filters that the caller has saved',
  description: ['Removes a view that the caller has saved. Nobody else can.'],
  errors: [],
  example: {
    id: exampleIds.view,
    params: { reason: 'No longer needed.' },
    answer: { object: 'audit_entry', action: 'view.remove', target: exampleIds.view },
  },
})
