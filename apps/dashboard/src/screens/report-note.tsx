import { Trans } from '@lingui/react'
import type { StaffCharge } from '@merchant-payments/contract'
import { Money, ReportedMoney } from '../ui/money.tsx'

interface ReportNoteProps extends Pick<StaffCharge, 'amount' | 'currency'> {
  readonly reported: Report | null
}

export type Report = Pick<NonNullable<StaffCharge['reported']>, 'amount' | 'currency'>

/** Evidence against a ruling: the rail reports other money than the charge's. */
export const ReportNote = ({ reported, amount, currency }: ReportNoteProps) =>
  reported && (
    <p className="note">
      <Trans
        id="The rail reports a success of <0/>. The charge is of <1/>, and a ruling of success settles that amount."
        components={{
          0: <ReportedMoney amount={reported.amount} currency={reported.currency} />,
          1: <Money amount={amount} currency={currency} />,
        }}
      />
    </p>
  )

/** The report that a ruling's dialog shows, as the API takes it. Empty texts stand for what the report does not name. */
export const seenReport = (reported: Report | null): Readonly<Record<string, string>> =>
  reported === null
    ? {}
    : {
        seen_reported_amount: String(reported.amount ?? ''),
        seen_reported_currency: reported.currency ?? '',
      }
