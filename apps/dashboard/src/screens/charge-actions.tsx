import type { StaffCharge } from '@merchant-payments/contract'
import { ChangeButton } from '../ui/change-button.tsx'

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
            The next status query is made as soon as it may be. It changes nothing by itself: what the rail
            answers does.
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
            hint: 'Such as MP250702.1410.C51350; without it, nothing is given back',
            isText: true,
            isRequired: charge.unproven,
          },
        ]}
        consequence={
          <>
            <p>
              Your word takes the place of the rail’s. Look in the operator’s portal for the reference{' '}
              <code>{charge.reference}</code> first. That it succeeded, another staff member must approve.
            </p>
            {isWaiting(charge) && <p>The rail is still being asked about this charge.</p>}
          </>
        }
      />
    )}
  </div>
)
