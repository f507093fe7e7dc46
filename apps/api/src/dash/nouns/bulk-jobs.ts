import {
  cancelBulkJob,
  createBulkJob,
  getBulkJob,
  listBulkJobs,
  parseStaffPage,
  recoverDeliveries,
} from '@merchant-payments/core'
import { type HandlerDeps, handlers } from '../handlers.ts'

export const bulkJobs = (deps: HandlerDeps) =>
  handlers({
    listBulkJobs: ({ query }) => listBulkJobs(deps, parseStaffPage(query), query.status ?? null),
    retrieveBulkJob: ({ params }) => getBulkJob(deps, params.id),
    createBulkJob: ({ request, body }) => createBulkJob(deps, request, body),
    recoverDeliveries: ({ request, params, body }) =>
      recoverDeliveries(deps, deps.registrations, request, params.id, {
        endpoint: body.endpoint,
        fromSec: body.from,
        untilSec: body.until ?? null,
      }),
    cancelBulkJob: ({ request, params }) => cancelBulkJob(deps, request, params.id),
  })
