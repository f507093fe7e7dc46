import {
  approveRequest as approveOperation,
  cancelStaffIntent as cancelOperation,
  declineRequest as declineOperation,
  disableMerchantClient as disableOperation,
  enableMerchantClient as enableOperation,
  eraseStaffCustomer as eraseOperation,
  listApprovalRequests as approvalsOperation,
  listAuditEntries as auditOperation,
  listFanouts as fanoutsOperation,
  listMerchantClients as clientsOperation,
  listStaffCustomers as customersOperation,
  listStaffDeliveries as deliveriesOperation,
  listStaffIntents as intentsOperation,
  listStaffInvoices as invoicesOperation,
  listStaffRails as railsOperation,
  listStaffRefunds as refundsOperation,
  listStuckCharges as stuckOperation,
  lookUp as lookUpOperation,
  markStaffInvoiceUncollectible,
  queryCharge as queryOperation,
  refundStaffIntent as refundOperation,
  replayDelivery as replayOperation,
  resolveCharge as resolveOperation,
  retrieveOverview,
  retrieveStaffCustomer,
  retrieveStaffDelivery,
  retrieveStaffIntent,
  retrieveStaffInvoice,
  returnCharge as returnOperation,
  retryFanout as retryOperation,
  voidStaffInvoice,
} from '@merchant-payments/contract'
import {
  approveRequest,
  cancelStaffIntent,
  type CustomerId,
  declineRequest,
  disableMerchantClient,
  enableMerchantClient,
  eraseStaffCustomer,
  type EventId,
  getOverview,
  getStaffCustomer,
  getStaffDelivery,
  getStaffIntent,
  getStaffInvoice,
  listApprovalRequests,
  listAuditEntries,
  listFanouts,
  listMerchantClients,
  listStaffCustomers,
  listStaffDeliveries,
  listStaffIntents,
  listStaffInvoices,
  listStaffRails,
  listStaffRefunds,
  listStuckCharges,
  lookUp,
  moveStaffInvoice,
  parseStaffPage,
  type PaymentIntentId,
  queryCharge,
  refundStaffIntent,
  type Registration,
  replayDelivery,
  resolveCharge,
  retryFanout,
  returnCharge,
  type StaffDeps,
} from '@merchant-payments/core'
import { change, type DashRoute, read, view } from './handle.ts'

/** Every route but those of signing in and out. */
export const dashRoutes = (deps: StaffDeps, registrations: readonly Registration[]): DashRoute[] => [
  ...reads(deps, registrations),
  ...changes(deps),
]

const reads = (deps: StaffDeps, registrations: readonly Registration[]): DashRoute[] => [
  read(retrieveOverview, () => getOverview(deps)),
  view(lookUpOperation, ({ by, body }) => lookUp(deps, by, body.q)),
  view(intentsOperation, ({ by, query }) =>
    listStaffIntents(deps, by, parseStaffPage(query), {
      status: query.status ?? null,
      rail: query.rail ?? null,
      customerId: (query.customer ?? null) as CustomerId | null,
      payer: query.payer ?? null,
    }),
  ),
  read(retrieveStaffIntent, ({ params }) => getStaffIntent(deps, params.id)),
  read(stuckOperation, ({ query }) => listStuckCharges(deps, parseStaffPage(query), query.rail ?? null)),
  read(refundsOperation, ({ query }) =>
    listStaffRefunds(deps, parseStaffPage(query), {
      status: query.status ?? null,
      instruction: query.instruction ?? null,
      rail: query.rail ?? null,
      intentId: (query.payment_intent ?? null) as PaymentIntentId | null,
      customerId: (query.customer ?? null) as CustomerId | null,
    }),
  ),
  read(deliveriesOperation, ({ query }) =>
    listStaffDeliveries(deps, parseStaffPage(query), {
      status: query.status ?? null,
      endpoint: query.endpoint ?? null,
      eventId: (query.event ?? null) as EventId | null,
      eventType: query.event_type ?? null,
    }),
  ),
  read(retrieveStaffDelivery, ({ params }) => getStaffDelivery(deps, params.id)),
  read(fanoutsOperation, ({ query }) => listFanouts(deps, parseStaffPage(query), query.state ?? null)),
  view(customersOperation, ({ by, query }) =>
    listStaffCustomers(deps, by, parseStaffPage(query), query.payer ?? null),
  ),
  view(retrieveStaffCustomer, ({ by, params }) => getStaffCustomer(deps, by, params.id)),
  read(invoicesOperation, ({ query }) =>
    listStaffInvoices(deps, parseStaffPage(query), {
      status: query.status ?? null,
      customerId: (query.customer ?? null) as CustomerId | null,
    }),
  ),
  read(retrieveStaffInvoice, ({ params }) => getStaffInvoice(deps, params.id)),
  read(clientsOperation, () => listMerchantClients(deps, registrations)),
  read(railsOperation, () => Promise.resolve(listStaffRails(deps))),
  read(approvalsOperation, ({ query }) =>
    listApprovalRequests(deps, parseStaffPage(query), query.status ?? null),
  ),
  read(auditOperation, ({ query }) =>
    listAuditEntries(deps, parseStaffPage(query), {
      actor: query.actor ?? null,
      action: query.action ?? null,
      targets: query.target === undefined ? null : [query.target],
    }),
  ),
]

const changes = (deps: StaffDeps): DashRoute[] => [
  change(cancelOperation, ({ request, params }) => cancelStaffIntent(deps, request, params.id)),
  change(refundOperation, ({ request, params, body }) =>
    refundStaffIntent(deps, request, params.id, {
      amountMinor: body.amount ?? null,
      msisdn: body.msisdn ?? null,
    }),
  ),
  change(queryOperation, ({ request, params }) => queryCharge(deps, request, params.id)),
  change(resolveOperation, ({ request, params, body }) =>
    resolveCharge(deps, request, params.id, {
      outcome: body.outcome,
      statement: body.statement ?? null,
    }),
  ),
  change(returnOperation, ({ request, params, body }) =>
    returnCharge(deps, request, params.id, body.msisdn ?? null),
  ),
  change(approveOperation, ({ request, params }) => approveRequest(deps, request, params.id)),
  change(declineOperation, ({ request, params }) => declineRequest(deps, request, params.id)),
  change(replayOperation, ({ request, params }) => replayDelivery(deps, request, params.id)),
  change(retryOperation, ({ request, params }) => retryFanout(deps, request, params.id)),
  change(eraseOperation, ({ request, params }) => eraseStaffCustomer(deps, request, params.id)),
  change(voidStaffInvoice, ({ request, params }) =>
    moveStaffInvoice(deps, request, 'invoice.void', params.id),
  ),
  change(markStaffInvoiceUncollectible, ({ request, params }) =>
    moveStaffInvoice(deps, request, 'invoice.mark_uncollectible', params.id),
  ),
  change(disableOperation, ({ request, params }) => disableMerchantClient(deps, request, params.id)),
  change(enableOperation, ({ request, params }) => enableMerchantClient(deps, request, params.id)),
]
