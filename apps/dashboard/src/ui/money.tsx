import type { Currency } from '@merchant-payments/contract'
import { formatLocale } from '../i18n.ts'

interface MoneyProps {
  /** In minor units; XAF has none. */
  readonly amount: number
  readonly currency: Currency
}

const known: Readonly<
  Record<string, { readonly format: Intl.NumberFormat; readonly minorPerMajor: number }>
> = {
  XAF: { format: new Intl.NumberFormat(formatLocale, { maximumFractionDigits: 0 }), minorPerMajor: 1 },
  EUR: { format: new Intl.NumberFormat(formatLocale, { minimumFractionDigits: 2 }), minorPerMajor: 100 },
} satisfies Record<Currency, unknown>

/** What a rail reports, in its own spelling. Minor units are divided only in a currency that the page knows. */
export function ReportedMoney({ amount, currency }: { amount: number | null; currency: string | null }) {
  const own = known[currency ?? '']
  const text = own && amount !== null ? own.format.format(amount / own.minorPerMajor) : (amount ?? '–')
  return (
    <span className="money">
      {text} <small>{currency}</small>
    </span>
  )
}

/** An amount of ours. A newer api may have a currency that the page does not know. */
export const Money = (money: MoneyProps) => <ReportedMoney {...money} />
