import type { Currency } from '@merchant-payments/contract'
import { formatLocale } from '../i18n.ts'

interface MoneyProps {
  /** In minor units; XAF has none. */
  readonly amount: number
  readonly currency: Currency
}

const formats = {
  XAF: new Intl.NumberFormat(formatLocale, { maximumFractionDigits: 0 }),
  EUR: new Intl.NumberFormat(formatLocale, { minimumFractionDigits: 2 }),
} as const satisfies Record<Currency, Intl.NumberFormat>
const minorPerMajor = { XAF: 1, EUR: 100 } as const satisfies Record<Currency, number>

/** What a rail reports, in its own spelling. Minor units are divided only in a currency that is ours. */
export const ReportedMoney = ({ amount, currency }: { amount: number | null; currency: string | null }) => {
  const known = currency === 'XAF' || currency === 'EUR' ? currency : null
  if (amount !== null && known !== null) return <Money amount={amount} currency={known} />
  return (
    <span className="money">
      {amount ?? '–'} <small>{currency}</small>
    </span>
  )
}

export const Money = ({ amount, currency }: MoneyProps) => (
  <span className="money">
    {formats[currency].format(amount / minorPerMajor[currency])} <small>{currency}</small>
  </span>
)
