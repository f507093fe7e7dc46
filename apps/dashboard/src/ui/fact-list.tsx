import type { AuditEntry } from '@merchant-payments/contract'
import { Fragment, type ReactNode } from 'react'
import { i18n } from '../i18n.ts'
import { ReportedMoney } from './money.tsx'
import { Time } from './time.tsx'

type FactValues = AuditEntry['before']

interface FactListProps {
  readonly facts: FactValues
  readonly nameOf: (fact: string) => string
  /** The currency of the payment, if it is known. */
  readonly currency?: FactValues[string]
}

/** The facts of an alert or of an audit entry. An amount and its currency are one fact. */
export const FactList = ({ facts, nameOf, currency = null }: FactListProps) =>
  Object.entries(facts)
    .filter(([name]) => !isShownWithAmount(name, facts))
    .map(([name, value], n) => (
      <Fragment key={name}>
        {n > 0 && ', '}
        {nameOf(name)}: {timeOf(name, value) ?? shown(value, currencyOf(name, facts, currency))}
      </Fragment>
    ))

const isShownWithAmount = (name: string, facts: FactValues): boolean =>
  name.endsWith('currency') && name.replace(/currency$/, 'amount') in facts

/** The currency of an amount, null if it is not known. Undefined if the fact is no amount. */
function currencyOf(name: string, facts: FactValues, ofPayment: FactValues[string]) {
  if (name === 'refund_reserved') return ofPayment
  return name.endsWith('amount') ? (facts[name.replace(/amount$/, 'currency')] ?? null) : undefined
}

/** Instants are in seconds, those of a file of rows in milliseconds. Null if the fact is none. */
function timeOf(name: string, value: FactValues[string]): ReactNode {
  if (typeof value !== 'number') return null
  if (name.endsWith('_at')) return <Time at={value} />
  return name === 'from_ms' || name === 'until_ms' ? <Time at={value / 1_000} /> : null
}

function shown(value: FactValues[string], currency: FactValues[string] | undefined): ReactNode {
  const amount = typeof value === 'number' ? value : null
  if (typeof currency === 'string') return <ReportedMoney amount={amount} currency={currency} />
  if (currency === undefined || amount === null) return String(value ?? '–')
  return (
    <>
      {amount} <small>{i18n.t('minor units')}</small>
    </>
  )
}
