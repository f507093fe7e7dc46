import type { StaffRefund } from '@merchant-payments/contract'
import { Link } from '@tanstack/react-router'
import { i18n } from '../../i18n.ts'

/** Whether an operator's statement lists a payout as paid. */
export const Confirmed = ({ of: confirmed }: { of: StaffRefund['confirmed'] }) =>
  confirmed === null ? (
    <span className="quiet">–</span>
  ) : (
    <Link to="/reconciliation/$id" params={{ id: confirmed.statement }}>
      {i18n.t('Confirmed')}
    </Link>
  )
