import { expect, test } from 'vitest'
import { renderTimelines } from './timeline.ts'

const paid = { event: 'payment_intent.succeeded', status: 'succeeded', errorCode: null }

test('payments are shown in columns of the same width, whether they succeed or fail', () => {
  const text = renderTimelines([
    {
      scenario: { title: 'the payer approves', msisdn: '237670000001', outcomes: [paid] },
      moments: [
        { what: 'create: requires_payment_method', afterMs: 40 },
        { what: 'GET: succeeded', afterMs: 12_345 },
      ],
      fault: null,
    },
    {
      scenario: { title: 'the payer sleeps', msisdn: '237670000454', outcomes: [paid] },
      moments: [{ what: 'create: processing', afterMs: 60 }],
      fault: 'waited in vain',
    },
  ])

  expect(text).toBe(
    `\
1. 237670000001: the payer approves
   create: requires_payment_method    0.04 s   +0.04 s
   GET: succeeded                    12.35 s  +12.30 s
   right: payment_intent.succeeded

2. 237670000454: the payer sleeps
   create: processing                 0.06 s   +0.06 s
   WRONG, not payment_intent.succeeded: waited in vain`,
  )
})
