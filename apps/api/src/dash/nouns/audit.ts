import {
  approveRequest,
  declineRequest,
  listApprovalRequests,
  listAuditEntries,
  listColleagues,
  parseStaffPage,
} from '@merchant-payments/core'
import { type HandlerDeps, handlers } from '../handlers.ts'

export const audit = (deps: HandlerDeps) =>
  handlers({
    listApprovalRequests: ({ by, query }) =>
      listApprovalRequests(deps, by, parseStaffPage(query), query.status ?? null),
    approveRequest: ({ request, params }) => approveRequest(deps, request, params.id),
    declineRequest: ({ request, params }) => declineRequest(deps, request, params.id),
    listColleagues: () => listColleagues(deps),
    listAuditEntries: ({ query }) =>
      listAuditEntries(deps, parseStaffPage(query), {
        actor: query.actor ?? null,
        action: query.action ?? null,
        target: query.target ?? null,
      }),
  })
