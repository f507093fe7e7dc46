import { Trans } from '@lingui/react'
import type { StatementDifference } from '@merchant-payments/contract'
import { i18n } from '../../i18n.ts'
import { ChangeButton } from '../../ui/change-button.tsx'
import { ReportedMoney } from '../../ui/money.tsx'
import { QueryButton } from '../query-button.tsx'
import { ReportNote, seenReport } from '../report-note.tsx'
import { ReturnButton } from '../return-button.tsx'

interface ActionProps {
  readonly row: StatementDifference
  /** The charge of the row. */
  readonly id: string
}

const OPEN = new Set(['live', 'unconfirmed'])
const PAID = new Set(['succeeded', 'duplicate'])

/** The actions of a charge: ask its rail, decide it by the line, return money that was taken twice. */
export function DifferenceActions({ row }: Pick<ActionProps, 'row'>) {
  const { about: id, charge_status: status, kind, verdict, unproven, returned } = row
  if (id === null || status === null) return null
  return (
    <div className="row-actions">
      {verdict !== 'duplicate' && OPEN.has(status) && <QueryButton id={id} />}
      {verdict === 'theirs_only' && kind === 'charge' && status !== 'submitting' && (
        <Decide row={row} id={id} isProven={PAID.has(status) && !unproven} />
      )}
      {verdict === 'duplicate' && status === 'duplicate' && !unproven && !returned && (
        <ReturnButton id={id} isPayerKnown={row.payer_known === true} number={null} />
      )}
    </div>
  )
}

/** The ledger no longer knows the currency once its merchant has moved to another cell. */
export const LedgerMoney = ({
  row: { ledger_amount: amount, ledger_currency: currency },
}: Pick<ActionProps, 'row'>) =>
  currency ? (
    <ReportedMoney amount={amount} currency={currency} />
  ) : (
    <span className="money">
      {amount} <small>{i18n.t('minor units')}</small>
    </span>
  )

/** The API refuses the transaction of a line with other money as evidence, and any for a charge that has some. */
function Decide({ row, id, isProven }: ActionProps & { readonly isProven: boolean }) {
  const { amount, currency, ledger_amount: owed, ledger_currency: owedCurrency, transaction } = row
  if (amount !== owed || currency !== owedCurrency) {
    return (
      <p className="quiet">
        <Trans
          id="The line is of <0/> and the charge of <1/>, so it is no evidence."
          components={{
            0: <ReportedMoney amount={amount} currency={currency} />,
            1: <LedgerMoney row={row} />,
          }}
        />
      </p>
    )
  }
  if (isProven) return null
  return (
    <ChangeButton
      change="resolveCharge"
      id={id}
      action={i18n.t('Mark succeeded by this line')}
      isGrave
      seen={seenReport(row.reported)}
      choice={{ name: 'outcome', label: i18n.t('What happened at the rail?'), options: ['succeeded'] }}
      fields={[
        {
          name: 'statement',
          label: i18n.t('Transaction in the statement'),
          hint: i18n.t('The evidence, from the line.'),
          value: transaction ?? '',
          isRequired: true,
          isText: true,
        },
      ]}
      consequence={
        <>
          {owed !== null && owedCurrency !== null && (
            <ReportNote reported={row.reported} amount={owed} currency={owedCurrency} />
          )}
          <p>
            <Trans
              id="The line and the charge are both of <0/>."
              components={{ 0: <LedgerMoney row={row} /> }}
            />
          </p>
          <p>
            {i18n.t('A second staff member must approve it, because it creates money that can be refunded.')}
          </p>
        </>
      }
    />
  )
}
