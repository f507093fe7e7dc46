import { z } from 'zod'
import { exampleIds } from '../examples.ts'
import { idField, objectField } from '../fields.ts'
import { formArray, idParam, unixSeconds } from '../form.ts'
import { listOf } from '../list.ts'
import {
  change,
  collectionChange,
  instant,
  instantOrNull,
  staffListQuery,
  staffRead,
  textOrNull,
} from './common.ts'
import { bulkStatuses } from '../words.ts'

/** Changes of many objects, each by its name in the audit log. */
const bulkKinds = [
  'delivery.replay',
  'fanout.retry',
  'charge.query',
  'attention.acknowledge',
  'attention.resolve',
] as const

/** docs/spec-gaps.md, staff: as many as a page of a list has. */
const BULK_IDS_MAX = 100

export const BulkJob = z
  .strictObject({
    id: idField('blk', exampleIds.bulkJob),
    object: objectField('bulk_job'),
    kind: z.enum(bulkKinds).describe('The change of each object, by its name in the audit log.'),
    merchant: textOrNull('The client id of the endpoint’s merchant.', 'if the objects were selected'),
    endpoint: textOrNull(
      'The id of the endpoint whose deliveries are sent again.',
      'if the objects were selected',
    ),
    from: instantOrNull('Deliveries created from then on are sent again.', 'if the objects were selected'),
    until: instantOrNull('Deliveries created before then are sent again.', 'if the objects were selected'),
    status: z
      .enum(bulkStatuses)
      .describe('State of the job. `canceled`: a staff member ended it; what it did stays.'),
    objects: z
      .int()
      .describe('Number of objects when the job was made. The count stops at 10 000, as the job does.'),
    done: z.int().describe('Number of objects that were changed. Each has its own audit entry.'),
    skipped: z
      .int()
      .describe(
        'Number of objects that were left alone, because their state or the database refused the change.',
      ),
    reason: z.string().describe('Why, in the member’s own words.'),
    created_by: z
      .strictObject({
        subject: z.string().describe('The staff member’s subject at the OpenID provider.'),
        name: z.string().describe('The staff member’s name at that time.'),
      })
      .describe('The staff member who made the job.'),
    created: instant('When the job was made.'),
    finished_at: instantOrNull('When the job ended.', 'while it is running'),
  })
  .meta({
    id: 'BulkJob',
    description:
      'One change of many objects, which the worker makes in batches. Each object has its own audit entry.',
  })
export type BulkJob = z.infer<typeof BulkJob>

export const listBulkJobs = staffRead({
  id: 'bulkJobs.list',
  path: '/bulk_jobs',
  summary: 'List changes of many objects',
  description: ['Pages through the bulk jobs of all staff members, newest first.'],
  query: z.strictObject({
    ...staffListQuery('blk'),
    status: z
      .enum(bulkStatuses, `must be one of ${bulkStatuses.join(', ')}`)
      .optional()
      .describe('Shows bulk jobs in this state.'),
  }),
  schema: listOf(BulkJob),
  ok: 'One page of bulk jobs.',
  example: { params: { status: 'running' }, answer: { object: 'list' } },
})

export const retrieveBulkJob = staffRead({
  id: 'bulkJobs.retrieve',
  path: '/bulk_jobs/{id}',
  summary: 'Open a change of many objects',
  description: ['Reads a bulk job with its progress.'],
  params: z.object({ id: idParam('blk') }),
  schema: BulkJob,
  ok: 'The bulk job.',
  example: { id: exampleIds.bulkJob, answer: { id: exampleIds.bulkJob, object: 'bulk_job' } },
})

export const createBulkJob = collectionChange({
  id: 'bulkJobs.create',
  role: 'operator',
  path: '/bulk_jobs',
  body: {
    kind: z
      .enum(bulkKinds, `must be one of ${bulkKinds.join(', ')}`)
      .describe('The change of each object, by its name in the audit log.'),
    ids: formArray(z.string('must be an id'))
      .refine((ids) => ids.length <= BULK_IDS_MAX, `must have at most ${BULK_IDS_MAX} ids`)
      .describe(`The ids of the objects: 1 to ${BULK_IDS_MAX} of the kind’s objects.`),
  },
  summary: 'Change selected objects',
  description: [
    'Makes the same change of each selected object, with the same reason. The worker makes them one after the other, and writes an audit entry for each. An object whose state refuses the change is skipped, and so is an alert to take that somebody handles already.',
    'A staff member has at most three running bulk jobs.',
  ],
  errors: ['bulk_job_limit'],
  example: {
    params: { kind: 'charge.query', ids: [exampleIds.charge], reason: 'The rail is back.' },
    answer: { object: 'audit_entry', action: 'bulk_job.create' },
  },
})

export const recoverDeliveries = change({
  id: 'merchantClients.recover',
  role: 'operator',
  path: '/merchant_clients/{id}/recover',
  prefix: 'client',
  body: {
    endpoint: z.string('is required').min(1, 'is required').describe('The id of the endpoint.'),
    from: unixSeconds.describe('Deliveries created from this Unix second on are sent again.'),
    until: unixSeconds
      .optional()
      .describe('Deliveries created before this Unix second are sent again. Default: now.'),
  },
  summary: 'Send an endpoint’s exhausted deliveries again',
  description: [
    'Makes a bulk job that gives each exhausted delivery of the endpoint, created in the given time, a new ladder of eight attempts: at most 10 000, the oldest first. New events of the endpoint are delivered meanwhile.',
    'An endpoint has one such job at a time.',
  ],
  errors: ['bulk_job_limit'],
  example: {
    id: exampleIds.merchant,
    params: { endpoint: 'main', from: 1_767_225_600, reason: 'The endpoint is back.' },
    answer: { object: 'audit_entry', action: 'bulk_job.create' },
  },
})

export const cancelBulkJob = change({
  id: 'bulkJobs.cancel',
  role: 'operator',
  path: '/bulk_jobs/{id}/cancel',
  prefix: 'blk',
  summary: 'End a change of many objects',
  description: ['Ends the job after the batch that the worker is making. What it did stays.'],
  errors: ['bulk_job_not_running'],
  example: {
    id: exampleIds.bulkJob,
    params: { reason: 'The endpoint is away again.' },
    answer: { object: 'audit_entry', action: 'bulk_job.cancel', target: exampleIds.bulkJob },
  },
})
