import type { ApprovalRequest } from '@merchant-payments/contract'
import { useMember } from '../../member.tsx'
import { ChangeButton } from '../../ui/change-button.tsx'
import { Facts } from '../../ui/facts.tsx'
import { Money } from '../../ui/money.tsx'
import { ObjectLink } from '../../ui/object-link.tsx'
import { Status } from '../../ui/status.tsx'
import type { Column } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'
import { textIn, wordOf } from '../../ui/words.ts'
import { i18n } from '../../i18n.ts'
import { zoneName } from '../../zone.ts'
import { Reported } from '../payment/reported.tsx'
import { ReportNote } from '../report-note.tsx'

const kinds: Readonly<Record<ApprovalRequest['kind'], string>> = {
  'charge.resolve': i18n.t('Rule that the charge succeeded'),
  'charge.return': i18n.t('Return the duplicate charge'),
  'refund.create': i18n.t('Refund to another number'),
}

const whatOf = (kind: ApprovalRequest['kind']): string => textIn(kinds, kind)

export const approvalColumns: readonly Column<ApprovalRequest>[] = [
  { head: i18n.t('Requested, {zone}', { zone: zoneName }), cell: ({ created }) => <Time at={created} /> },
  { head: i18n.t('Change'), cell: ({ kind }) => whatOf(kind) },
  {
    head: i18n.t('Of'),
    cell: ({ target, payment_intent: payment }) => <ObjectLink id={target} payment={payment} />,
  },
  {
    head: i18n.t('Amount'),
    isFigure: true,
    cell: ({ amount, currency }) => <Money amount={amount} currency={currency} />,
  },
  { head: i18n.t('The rail reports'), cell: ({ reported }) => <Reported of={reported} /> },
  { head: i18n.t('Refund to'), cell: ({ msisdn }) => msisdn ?? <span className="quiet">–</span> },
  { head: i18n.t('Statement'), cell: ({ statement }) => statement ?? <span className="quiet">–</span> },
  { head: i18n.t('Status'), cell: ({ status }) => <Status of={status} /> },
  { head: i18n.t('Requested by'), cell: ({ requested_by: { name } }) => name },
  { head: i18n.t('Why'), cell: ({ reason }) => <span className="prose">{reason}</span> },
  { head: i18n.t('Ends'), cell: ({ expires_at: at }) => <Time at={at} /> },
  { head: i18n.t('Decided by'), cell: ({ decided_by: by }) => by?.name ?? <span className="quiet">–</span> },
  { head: i18n.t('Outcome'), cell: outcomeOf },
  { head: i18n.t('Merchant'), cell: ({ merchant }) => merchant },
  { head: '', cell: (request) => <ApprovalActions request={request} /> },
]

function outcomeOf({ decision_reason: reason, obsolete_because: because }: ApprovalRequest) {
  const text = because === null ? reason : i18n.t('{cause}: nothing was changed', { cause: wordOf(because) })
  return text === null ? null : <span className="prose">{text}</span>
}

/** The object of the change, as its author saw it. */
const factsOf = ({
  target,
  payment_intent: payment,
  merchant,
  charge_status: status,
  unproven,
}: ApprovalRequest) =>
  [
    [i18n.t('Merchant'), merchant],
    [i18n.t('Payment'), <code key="payment">{payment}</code>],
    [i18n.t('Charge'), target !== payment && <code key="charge">{target}</code>],
    [
      i18n.t('Status of the charge'),
      status && (
        <span key="status">
          <Status of={status} />
          {unproven && <span className="quiet"> {i18n.t('by a ruling alone')}</span>}
        </span>
      ),
    ],
  ] as const

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
          action={i18n.t('Approve')}
          isGrave
          consequence={
            <>
              <p>
                {whatOf(kind)}: <Money amount={request.amount} currency={request.currency} />
              </p>
              <ReportNote {...request} />
              <Facts of={factsOf(request)} />
              {msisdn !== null && (
                <p>
                  {i18n.t('Refund to')}: <code>{msisdn}</code>
                </p>
              )}
              {request.statement !== null && (
                <p>
                  {i18n.t('In the operator’s statement')}: <code>{request.statement}</code>
                </p>
              )}
              <p>{i18n.t('{name} requested it: {reason}', { name: author.name, reason: request.reason })}</p>
              <p>
                {i18n.t(
                  'The change is made at once, unless the payment has changed since. The audit log gets both names.',
                )}
              </p>
            </>
          }
        />
      )}
      <ChangeButton
        change="declineRequest"
        id={id}
        action={isOwn ? i18n.t('Withdraw') : i18n.t('Decline')}
        consequence={<p>{i18n.t('Nothing changes. The request ends; a new one can be made.')}</p>}
      />
    </div>
  )
}
