import { describe, test } from 'vitest'
import type { Alert } from './alerts.ts'
import type { MerchantId } from './ids.ts'
import { collectRaised, raisedOf } from './raised.ts'

declare const alert: Alert
declare const merchant: MerchantId

const facts = { charge: 'ch_1', rail: 'push_rail' }

describe('an alert about an object', () => {
  test('is logged only with its row', () => {
    const raised = raisedOf('charge_stuck', facts, merchant)
    alert(raised.alert, raised.facts)
    collectRaised(alert, merchant).raise('charge_stuck', facts)
    // @ts-expect-error: no row is written of these facts
    alert('charge_stuck', facts)
  })

  test('names the object', () => {
    // @ts-expect-error: a rail is no object of the inbox
    raisedOf('rail_misconfigured', { rail: 'push_rail' }, merchant)
  })

  test('is never a plain one', () => {
    alert('pass_overdue', { pass: 'settle-charges' })
    // @ts-expect-error: an object of the inbox
    alert('row_refused', { pass: 'settle-charges', charge: 'ch_1' })
  })

  test('is one that staff handle', () => {
    // @ts-expect-error: a pass is no object
    raisedOf('pass_overdue', facts, merchant)
  })
})
