import { expect, test } from 'vitest'
import { makeCharge, makeIntent, makeInvoice, T0 } from '../../test/make.ts'
import { planPaid } from '../invoices/invoice.ts'
import { planSuccess } from './plan-charge.ts'
import { redactTransition } from './transition.ts'

test('a transition that is redacted pays the same invoice', () => {
  const intent = makeIntent('processing')
  const invoice = planPaid(makeInvoice('open'), intent, T0)
  const plan = planSuccess(makeCharge('live', { intentId: intent.id }), intent, null, T0)
  expect(redactTransition({ ...plan, invoice, key: null }).invoice).toBe(invoice)
})
