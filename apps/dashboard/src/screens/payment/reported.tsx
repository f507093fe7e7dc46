import { ReportedMoney } from '../../ui/money.tsx'
import { Status } from '../../ui/status.tsx'
import type { Report } from '../report-note.tsx'

/** Money of another amount or currency, which the rail reports as paid. */
export const Reported = ({ of: report }: { readonly of: Report | null }) =>
  report && (
    <>
      <Status of="mismatch" /> <ReportedMoney amount={report.amount} currency={report.currency} />
    </>
  )
