import { describe, expect, test } from 'vitest'
import { makeCharge, makeIntent, makeInvoice, makeRail, paid, PUSH, T0 } from '../../test/make.ts'
import { mintId } from '../base/ids.ts'
import type { Raise } from '../base/raised.ts'
import { judge } from './judge-outcome.ts'

const nowMs = T0 + 60_000
const invoiceId = mintId('in', T0)
const intent = makeIntent('processing', { invoiceId })
const charge = makeCharge('live', { intentId: intent.id })
const rails = new Map([[PUSH, makeRail(PUSH)]])

function judged(invoice: ReturnType<typeof makeInvoice>) {
  const alerts: string[] = []
  const raise: Raise = (name) => void alerts.push(name)
  judge({ rails, raise }, { charge, outcome: paid }, intent, invoice, nowMs)
  return alerts
}

describe('money for an invoice', () => {
  test.each([
    ['that is open', 'open', intent.id],
    ['that the intent has paid since it was read', 'paid', intent.id],
  ] as const)('%s is no alert', (_, status, intentId) => {
    expect(judged(makeInvoice(status, { id: invoiceId, intentId }))).toEqual([])
  })

  test.each([
    ['that another intent has paid', 'paid', mintId('pi', T0)],
    ['of the intent that is void', 'void', intent.id],
  ] as const)('%s is an alert', (_, status, intentId) => {
    expect(judged(makeInvoice(status, { id: invoiceId, intentId }))).toEqual(['invoice_paid_twice'])
  })
})

test.each([
  ['a currency', 'EUR', 'EUR'],
  ['no text that could be about the payer', 'francs of 237677000001', null],
])('an alert of other money has %s', (_, currency, alerted) => {
  const facts: unknown[] = []
  const raise: Raise = (_name, some) => void facts.push(some)
  judge({ rails, raise }, { charge, outcome: { ...paid, currency } }, intent, undefined, nowMs)
  expect(facts).toEqual([
    { charge: charge.id, rail: PUSH, reported_amount: paid.amountMinor, reported_currency: alerted },
  ])
})
