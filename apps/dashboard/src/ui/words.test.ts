import { Statement } from '@merchant-payments/contract'
import * as filters from '@merchant-payments/contract/words'
import { expect, test } from 'vitest'
import { actionOf, alertOf, deedOf, invoiceWordOf, isKnown, stepOf, wordOf } from './words.ts'

const names = new Map([['mtn_momo_cm', 'MTN']])
const entry = { at: 0, id: 'ch_1', about: 'mtn_momo_cm', attempts: null, state: null, detail: null }

test('a word of the API becomes readable, and the name of an event stays as it is written', () => {
  expect(wordOf('succeeded')).toBe('Succeeded')
  expect(wordOf('requires_action')).toBe('Requires action')
  expect(wordOf('payment_intent.payment_failed')).toBe('payment_intent.payment_failed')
})

test('each word that a filter offers has its own text, and an event’s name has none', () => {
  const { auditActions: _, attentionAlerts: __, eventTypes, ...others } = filters
  expect(
    Object.values(others)
      .flat()
      .filter((word) => !isKnown(word)),
  ).toEqual([])
  expect(eventTypes.filter(isKnown)).toEqual([])
})

test('each state of a statement has its own text', () => {
  const states = Statement.shape.status.options
  expect(states.filter((word) => !isKnown(word))).toEqual([])
})

test('a ruling is named with its outcome', () => {
  expect(deedOf({ action: 'charge.resolve', target: 'ch_1', after: { ruling: 'succeeded' } })).toBe(
    'Charge marked succeeded',
  )
  expect(deedOf({ action: 'charge.resolve', target: 'ch_1', after: { ruling: 'failed' } })).toBe(
    'Charge marked failed',
  )
  expect(deedOf({ action: 'customer.erase', target: 'cus_1', after: {} })).toBe('Customer erased')
  expect(deedOf({ action: 'person.look_up', target: 'customers', after: {} })).toBe(
    'List of customers opened',
  )
})

test('an upload is named at its beginning and at its end', () => {
  const deedAt = (status: string) => deedOf({ action: 'statement.create', target: 'st_1', after: { status } })
  expect(deedAt('reading')).toBe('Upload of a statement started')
  expect(deedAt('matching')).toBe('Statement uploaded')
})

test('a step of a payment names who did what', () => {
  expect(stepOf({ ...entry, source: 'rail', text: 'accepted_request' }, names)).toBe(
    'MTN accepted the request',
  )
  expect(stepOf({ ...entry, source: 'charge', text: 'opened' }, names)).toBe('Charge opened on MTN')
  expect(stepOf({ ...entry, source: 'staff', text: 'charge.query', about: null }, names)).toBe(
    'Rail asked about a charge',
  )
  expect(stepOf({ ...entry, source: 'event', text: 'charge.refunded', about: null }, names)).toBe(
    'charge.refunded',
  )
})

test('an open invoice awaits its payment', () => {
  expect(invoiceWordOf('open')).toBe('Awaiting payment')
  expect(invoiceWordOf('void')).toBe('Voided')
})

test('a word that a newer api has is shown as it is', () => {
  expect(alertOf('payout_stuck' as never)).toBe('Payout stuck')
  expect(actionOf('payout.hold' as never)).toBe('payout.hold')
  expect(deedOf({ action: 'payout.hold' as never, target: 'po_1', after: {} })).toBe('payout.hold')
})
