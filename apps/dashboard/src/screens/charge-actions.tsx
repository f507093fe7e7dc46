import type { StaffCharge } from '@merchant-payments/contract'
import { ChangeButton } from '../ui/change-button.tsx'
import { Money, ReportedMoney } from '../ui/money.tsx'

const isWaiting = ({ status }: StaffCharge) => status === 'live' || status === 'unconfirmed'
const isRulable = ({ status, unproven }: StaffCharge) =>
  unproven || (status !== 'submitting' && status !== 'succeeded' && status !== 'duplicate')

/** Actions for a charge whose rail has reported no result or a wrong one. */
export const ChargeActions = ({ charge }: { charge: StaffCharge }) => (
  <div className="row-actions">
    {charge.next_query_at !== null && charge.status !== 'submitting' && (
      <ChangeButton
        change="queryCharge"
        id={charge.id}
        action="Query rail now"
        consequence={
          <p>
            The worker sends the next status query as soon as it is allowed. The query itself changes nothing;
            the rail’s answer may.
          </p>
        }
      />
    )}
    {isRulable(charge) && (
      <ChangeButton
        change="resolveCharge"
        id={charge.id}
        action={charge.unproven ? 'Add the statement' : 'Resolve'}
        isGrave
        choice={{
          name: 'outcome',
          label: 'What happened at the rail?',
          options: charge.unproven ? ['succeeded'] : ['succeeded', 'failed'],
        }}
        fields={[
          {
            name: 'statement',
            label: 'Transaction in the operator’s statement, if it succeeded',
            pattern: '[A-Za-z0-9][A-Za-z0-9._/:\\-]{2,63}',
            hint: 'Such as MP250702.1410.C51350; without it, nothing can be refunded',
            isText: true,
            isRequired: charge.unproven,
          },
        ]}
        consequence={
          <>
            {charge.reported && (
              <p className="note">
                The rail reports a success of{' '}
                <ReportedMoney amount={charge.reported.amount} currency={charge.reported.currency} />. The
                charge is of <Money amount={charge.amount} currency={charge.currency} />, and a ruling of
                success settles that amount.
              </p>
            )}
            <p>
              Your ruling replaces the rail’s answer. First look up the reference{' '}
              <code>{charge.reference}</code> in the operator’s portal. A ruling of success needs the approval
              of another staff member.
            </p>
            {isWaiting(charge) && <p>The worker is still querying the rail about this charge.</p>}
          </>
        }
      />
    )}
  </div>
)
