import type { StaffCharge } from '@merchant-payments/contract'
import { ReportedMoney } from '../../ui/money.tsx'
import { Status } from '../../ui/status.tsx'

/** Money of another amount or currency, which the rail reports as paid. */
export const Reported = ({ charge: { reported } }: { charge: StaffCharge }) =>
  reported && (
    <>
      <Status of="mismatch" /> <ReportedMoney amount={reported.amount} currency={reported.currency} />
    </>
  )
