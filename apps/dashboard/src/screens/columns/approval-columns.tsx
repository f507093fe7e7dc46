import type { ApprovalRequest } from '@merchant-payments/contract'
import { useMember } from '../../member.tsx'
import { ChangeButton } from '../../ui/change-button.tsx'
import { Money } from '../../ui/money.tsx'
import { ObjectLink } from '../../ui/object-link.tsx'
import { Status } from '../../ui/status.tsx'
import type { Column } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'
import { wordOf } from '../../ui/words.ts'

const whatOf: Readonly<Record<ApprovalRequest['kind'], string>> = {
  'charge.resolve': 'Rule that the charge succeeded',
  'charge.return': 'Return the duplicate charge',
  'refund.create': 'Refund to another number',
}

export const approvalColumns: readonly Column<ApprovalRequest>[] = [
  { head: 'Requested, UTC', cell: ({ created }) => <Time at={created} /> },
  { head: 'Change', cell: ({ kind }) => whatOf[kind] },
  {
    head: 'Of',
    cell: ({ target, payment_intent: payment }) => <ObjectLink id={target} payment={payment} />,
  },
  {
    head: 'Amount',
    isFigure: true,
    cell: ({ amount, currency }) => <Money amount={amount} currency={currency} />,
  },
  { head: 'Refund to', cell: ({ msisdn }) => msisdn ?? <span className="quiet">–</span> },
  { head: 'Statement', cell: ({ statement }) => statement ?? <span className="quiet">–</span> },
  { head: 'Status', cell: ({ status }) => <Status of={status} /> },
  { head: 'Requested by', cell: ({ requested_by: { name } }) => name },
  { head: 'Why', cell: ({ reason }) => <span className="prose">{reason}</span> },
  { head: 'Ends', cell: ({ expires_at: at }) => <Time at={at} /> },
  { head: 'Decided by', cell: ({ decided_by: by }) => by?.name ?? <span className="quiet">–</span> },
  { head: 'Outcome', cell: outcomeOf },
  { head: 'Merchant', cell: ({ merchant }) => merchant },
  { head: '', cell: (request) => <ApprovalActions request={request} /> },
]

function outcomeOf({ decision_reason: reason, obsolete_because: because }: ApprovalRequest) {
  const text = because === null ? reason : `${wordOf(because)}: nothing was changed`
  return text === null ? null : <span className="prose">{text}</span>
}

/** The author of a request can only withdraw it. */
function ApprovalActions({ request }: { request: ApprovalRequest }) {
  const { subject } = useMember()
  const { id, status, kind, msisdn, requested_by: author } = request
  if (status !== 'pending') return null
  const isOwn = author.subject === subject
  return (
    <div className="row-actions">
      {!isOwn && (
        <ChangeButton
          change="approveRequest"
          id={id}
          action="Approve"
          isGrave
          consequence={
            <>
              <p>
                {whatOf[kind]}: <Money amount={request.amount} currency={request.currency} />
                {msisdn !== null && (
                  <>
                    {' '}
                    to <code>{msisdn}</code>
                  </>
                )}
                {request.statement !== null && (
                  <>
                    , in the operator’s statement as <code>{request.statement}</code>
                  </>
                )}
                . {author.name} requested it: {request.reason}
              </p>
              <p>
                The change is made at once, unless the payment has changed since. The audit log gets both
                names.
              </p>
            </>
          }
        />
      )}
      <ChangeButton
        change="declineRequest"
        id={id}
        action={isOwn ? 'Withdraw' : 'Decline'}
        consequence={<p>Nothing changes. The request ends; a new one can be made.</p>}
      />
    </div>
  )
}
