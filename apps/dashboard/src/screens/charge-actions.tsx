import { Trans } from '@lingui/react'
import type { StaffCharge } from '@merchant-payments/contract'
import { ChangeButton } from '../ui/change-button.tsx'
import { i18n } from '../i18n.ts'
import { QueryButton } from './query-button.tsx'
import { ReportNote, seenReport } from './report-note.tsx'

const isWaiting = ({ status }: StaffCharge) => status === 'live' || status === 'unconfirmed'
const isRulable = ({ status, unproven }: StaffCharge) =>
  unproven || (status !== 'submitting' && status !== 'succeeded' && status !== 'duplicate')

/** Failed and abandoned charges can be queried also after their watch. */
export const isQueryable = ({ status, next_query_at: next }: StaffCharge) =>
  status === 'failed' || status === 'abandoned' || (next !== null && status !== 'submitting')

/** Actions for a charge whose rail has reported no result or a wrong one. */
export const ChargeActions = ({ charge }: { charge: StaffCharge }) => (
  <div className="row-actions">
    {isQueryable(charge) && <QueryButton id={charge.id} />}
    {isRulable(charge) && (
      <ChangeButton
        change="resolveCharge"
        id={charge.id}
        action={charge.unproven ? i18n.t('Add the statement') : i18n.t('Resolve')}
        isGrave
        seen={seenReport(charge.reported)}
        choice={{
          name: 'outcome',
          label: i18n.t('What happened at the rail?'),
          options: charge.unproven ? ['succeeded'] : ['succeeded', 'failed'],
        }}
        fields={[
          {
            name: 'statement',
            label: i18n.t('Transaction in the operator’s statement, if it succeeded'),
            pattern: '[A-Za-z0-9][A-Za-z0-9._/:\\-]{2,63}',
            hint: i18n.t('Such as MP250702.1410.C51350; without it, nothing can be refunded'),
            isText: true,
            isRequired: charge.unproven,
          },
        ]}
        consequence={
          <>
            <ReportNote reported={charge.reported} amount={charge.amount} currency={charge.currency} />
            <p>
              <Trans
                id="Your ruling replaces the rail’s answer. First look up the reference <0>{reference}</0> in the operator’s portal. A ruling of success needs the approval of another staff member."
                values={{ reference: charge.reference }}
                components={{ 0: <code /> }}
              />
            </p>
            {isWaiting(charge) && <p>{i18n.t('The worker is still querying the rail about this charge.')}</p>}
          </>
        }
      />
    )}
  </div>
)
