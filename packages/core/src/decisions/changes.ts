import { type ErrorCode, Refusal, type StaffErrorCode } from '@merchant-payments/contract'
import type { Tx } from '@merchant-payments/db'
import type { Approval, ApprovalKind } from '../approvals/approval.ts'
import { lockApproval } from '../approvals/store.ts'
import { decideApproval } from '../approvals/transitions.ts'
import { beforeOf, type Held } from '../audit/before.ts'
import { type Change, changeOnce, type Changed, type StaffRequest } from '../audit/change.ts'
import type { AuditFacts } from '../audit/render.ts'
import { alertOfChange } from '../audit/alert.ts'
import type { CommandDeps, Deps } from '../deps.ts'
import { type ApprovalRequestId, idIn } from '../base/ids.ts'
import { makeApprovedReturn } from '../charge-returns/staff/changes.ts'
import { makeApprovedRuling } from '../charges/staff/changes.ts'
import { makeApprovedRefund } from '../refunds/staff/changes.ts'

type ApproveDeps = Pick<Deps, 'db' | 'clock' | 'rails' | 'deployment' | 'alert'>
type MakeDeps = Pick<CommandDeps, 'db' | 'clock' | 'rails' | 'deployment'>

type Make = (deps: MakeDeps, tx: Tx, request: StaffRequest, approval: Approval) => Promise<Change>

const makers: Readonly<Record<ApprovalKind, Make>> = {
  'charge.resolve': (_deps, tx, _request, approval) => makeApprovedRuling(tx, approval),
  'charge.return': (deps, _tx, request, approval) => makeApprovedReturn(deps, request, approval),
  'refund.create': (deps, _tx, request, approval) => makeApprovedRefund(deps, request, approval),
}

/**
 * Makes the requested change in the transaction of its approval. If the object has changed since, the request ends
 * and nothing else changes.
 *
 * @throws Refusal approval_by_author, approval_not_pending, approval_obsolete
 */
export async function approveRequest(
  deps: ApproveDeps,
  request: StaffRequest,
  idText: string,
): Promise<Changed> {
  const id = idIn('apr', idText, noSuchRequest)
  const approved = approve(deps, request, id).catch((error: unknown) => {
    if (error instanceof Refusal && endsRequest.has(error.code)) return lapse(deps, request, id, error)
    throw error
  })
  const changed = await alertOfChange(deps, request, approved)
  // On a repetition with the same key, the entry of the first request says that the approval request lapsed.
  if (changed.entry.action === 'approval.lapse') throw obsolete()
  return changed
}

const approve = (deps: ApproveDeps, request: StaffRequest, id: ApprovalRequestId): Promise<Changed> =>
  changeOnce(deps, request, { action: 'approval.approve', target: id }, async (db, tx) => {
    const nowMs = deps.clock()
    const approval = await getPending(tx, id, nowMs)
    if (approval.requestedBy.subject === request.staff.subject) {
      throw new Refusal(
        'approval_by_author',
        'You asked for this change: another staff member must approve it.',
      )
    }
    const change = await makers[approval.kind]({ ...deps, db }, tx, request, approval)
    if (!isSame(change.before, approval.seen)) throw obsolete()
    await decideApproval(tx, approval, 'approve', request, { nowMs })
    const by = { approval: id, kind: approval.kind, requested_by: approval.requestedBy.subject }
    return { ...change, target: approval.target, after: { ...change.after, ...by } }
  })

/** The transaction that tried the change was rolled back before. */
const lapse = (
  deps: ApproveDeps,
  request: StaffRequest,
  id: ApprovalRequestId,
  { code: because }: Refusal,
): Promise<Changed> => end(deps, request, id, { action: 'approval.lapse', move: 'lapse', because })

export async function declineRequest(
  deps: Pick<Deps, 'db' | 'clock' | 'alert'>,
  request: StaffRequest,
  idText: string,
): Promise<Changed> {
  const id = idIn('apr', idText, noSuchRequest)
  const how = { action: 'approval.decline', move: 'decline', because: null } as const
  return alertOfChange(deps, request, end(deps, request, id, how))
}

interface End {
  readonly action: 'approval.lapse' | 'approval.decline'
  readonly move: 'lapse' | 'decline'
  readonly because: string | null
}

const end = (
  deps: Pick<Deps, 'db' | 'clock'>,
  request: StaffRequest,
  id: ApprovalRequestId,
  { action, move, because }: End,
): Promise<Changed> =>
  changeOnce(deps, request, { action, target: id }, async (_db, tx) => {
    const nowMs = deps.clock()
    const approval = await getPending(tx, id, nowMs)
    await decideApproval(tx, approval, move, request, { because, nowMs })
    const { kind, target, merchantId } = approval
    return {
      target,
      merchantId,
      before: beforeOf(approval, ({ status }) => ({ status })),
      after: { approval: id, kind, requested_by: approval.requestedBy.subject, because },
    }
  })

async function getPending(tx: Tx, id: ApprovalRequestId, nowMs: number): Promise<Held<Approval>> {
  const approval = await lockApproval(tx, id)
  if (approval === undefined) throw noSuchRequest()
  if (approval.status !== 'pending') {
    throw new Refusal('approval_not_pending', `This request is already ${approval.status}.`)
  }
  if (approval.expiresAtMs <= nowMs) {
    throw new Refusal('approval_not_pending', 'This request has expired.')
  }
  return approval
}

const noSuchRequest = () => new Refusal('resource_missing', 'No such request for approval.')

const obsolete = () =>
  new Refusal(
    'approval_obsolete',
    'The object has changed since the request was made. The request was closed without a change.',
  )

/** Refusals that mean that the object has changed since the request. After any other error the request stays pending. */
const endsRequest: ReadonlySet<ErrorCode | StaffErrorCode> = new Set<ErrorCode | StaffErrorCode>([
  'approval_obsolete',
  'charge_not_resolvable',
  'charge_not_duplicate',
  'charge_returned',
  'customer_erased',
  'intent_not_succeeded',
])

const isSame = (one: AuditFacts, other: AuditFacts): boolean =>
  Object.keys(one).length === Object.keys(other).length &&
  Object.entries(one).every(([name, value]) => other[name] === value)
