import type { ApprovalRequest, StaffCharge } from '@merchant-payments/contract'
import type { TestAnswer, TestApi } from '../harness.ts'
import type { StaffMember } from './staff.ts'

/** The request in the answer to a change. */
export function approvalOf({ text, body }: TestAnswer): string {
  if (body.action !== 'approval.request') throw new Error(text)
  return body.after.approval
}

export const approve = (who: StaffMember, asked: TestAnswer, key?: string): Promise<TestAnswer> =>
  decide(who, 'approve', asked, key)
export const decline = (who: StaffMember, asked: TestAnswer, key?: string): Promise<TestAnswer> =>
  decide(who, 'decline', asked, key)

const decide = (who: StaffMember, what: string, asked: TestAnswer, key?: string) =>
  who.post(
    `/approval_requests/${approvalOf(asked)}/${what}`,
    { reason: 'I looked myself.' },
    key === undefined ? {} : { key },
  )

export async function readApproval(who: StaffMember, asked: TestAnswer): Promise<ApprovalRequest> {
  const { body } = await who.get('/approval_requests?limit=100')
  const found = body.data.find(({ id }: ApprovalRequest) => id === approvalOf(asked))
  if (found === undefined) throw new Error('there is no such request')
  return found
}

/** The fields by which a ruling names the report that its author saw. */
export const seenOf = (reported: StaffCharge['reported'] | undefined): Record<string, string> =>
  reported
    ? {
        seen_reported_amount: String(reported.amount ?? ''),
        seen_reported_currency: reported.currency ?? '',
      }
    : {}

/** The stored ruling of a charge, with its author. */
export const rulingsOf = ({ db }: Pick<TestApi, 'db'>, charge: string) =>
  db.reader
    .selectFrom('charge_rulings')
    .select(['operator', 'outcome', 'reason'])
    .where('charge_id', '=', charge.slice(3))
    .orderBy('id')
    .execute()
