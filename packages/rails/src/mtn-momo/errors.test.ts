import type { Decline } from '@merchant-payments/core'
import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../answer.ts'
import type { Money } from './codec.ts'
import { judgeQuery, judgeSubmit, mappedCodes } from './errors.ts'

const XAF: Money = { settlementCurrency: 'XAF', wireCurrency: 'XAF' }

type Meaning = readonly [code: Decline['code'], actor: Decline['actor']]
const misconfigured: Meaning = ['rail_misconfigured', 'merchant_config']

/** Each known code of the operator: its meaning for a charge and for a refund, and whether it refuses a submit. */
const codes: readonly (readonly [railCode: string, charge: Meaning, refund: Meaning, refuses: boolean])[] = [
  ['NOT_ENOUGH_FUNDS', ['insufficient_funds', 'payer'], misconfigured, true],
  [
    'LOW_BALANCE_OR_PAYEE_LIMIT_REACHED_OR_NOT_ALLOWED',
    ['insufficient_funds_or_limit', 'payer'],
    misconfigured,
    true,
  ],
  ['PAYER_NOT_FOUND', ['payer_not_found', 'payer'], misconfigured, true],
  ['SENDER_ACCOUNT_NOT_ACTIVE', ['payer_inactive', 'payer'], misconfigured, true],
  ['PAYER_LIMIT_REACHED', ['limit_reached', 'payer'], misconfigured, true],
  ['PAYEE_NOT_ALLOWED_TO_RECEIVE', ['payee_refused', 'merchant_config'], ['payee_refused', 'payer'], true],
  ['PAYEE_LIMIT_REACHED', ['payee_refused', 'merchant_config'], ['payee_refused', 'payer'], true],
  ['PAYEE_NOT_FOUND', ['payee_refused', 'merchant_config'], ['payee_refused', 'payer'], true],
  ['NOT_ALLOWED', misconfigured, misconfigured, true],
  ['NOT_ALLOWED_TARGET_ENVIRONMENT', misconfigured, misconfigured, true],
  ['INVALID_CALLBACK_URL_HOST', misconfigured, misconfigured, true],
  ['INVALID_CURRENCY', misconfigured, misconfigured, true],
  ['VALIDATION_ERROR', misconfigured, misconfigured, true],
  ['APPROVAL_REJECTED', ['payer_declined', 'payer'], ['payer_declined', 'payer'], false],
  ['REJECTED', ['payer_declined', 'payer'], ['payer_declined', 'payer'], false],
  ['PAYMENT_NOT_APPROVED', ['payer_declined', 'payer'], ['payer_declined', 'payer'], false],
  ['TRANSACTION_CANCELED', ['payer_declined', 'payer'], ['payer_declined', 'payer'], false],
  ['EXPIRED', ['approval_timeout', 'payer'], ['approval_timeout', 'payer'], false],
  ['COULD_NOT_PERFORM_TRANSACTION', ['approval_timeout', 'payer'], ['approval_timeout', 'payer'], false],
  ['INTERNAL_PROCESSING_ERROR', ['rail_processing_error', 'rail'], ['rail_processing_error', 'rail'], false],
  ['SERVICE_UNAVAILABLE', ['rail_unavailable', 'rail'], ['rail_unavailable', 'rail'], false],
  ['TRANSACTION_NOT_FOUND', ['declined', 'rail'], ['declined', 'rail'], false],
  ['RESOURCE_NOT_FOUND', ['declined', 'rail'], ['declined', 'rail'], false],
  ['RESOURCE_ALREADY_EXIST', ['declined', 'rail'], ['declined', 'rail'], false],
  ['TRANSFER_TYPE_UNKNOWN', ['declined', 'rail'], ['declined', 'rail'], false],
  ['SOMETHING_NEW', ['declined', 'rail'], ['declined', 'rail'], false],
  ['constructor', ['declined', 'rail'], ['declined', 'rail'], false],
]

test('each mapped code has a row in this table', () => {
  const tested = new Set(codes.map(([railCode]) => railCode))
  expect(mappedCodes.filter((railCode) => !tested.has(railCode))).toEqual([])
})

const rows = codes.flatMap(([railCode, charge, refund, refuses]) => [
  { railCode, purpose: 'charge' as const, meaning: charge, refuses },
  { railCode, purpose: 'refund' as const, meaning: refund, refuses },
])

const decline = (meaning: Meaning, railCode: string | null, railMessage: string | null = null): Decline => ({
  code: meaning[0],
  actor: meaning[1],
  railCode,
  railMessage,
})

describe('the reason of a FAILED status', () => {
  test.each(rows)('$railCode on a $purpose', ({ railCode, purpose, meaning }) => {
    const body = (reason: unknown) => ({ status: 'FAILED', reason })
    expect(judgeQuery(200, body(railCode), XAF, purpose)).toEqual({
      kind: 'failed',
      decline: decline(meaning, railCode),
    })
    expect(judgeQuery(200, body({ code: railCode, message: 'Why' }), XAF, purpose)).toEqual({
      kind: 'failed',
      decline: decline(meaning, railCode, 'Why'),
    })
  })

  test.each([undefined, null, {}, '', []])('%j is a decline without a code', (reason) => {
    expect(judgeQuery(200, { status: 'FAILED', reason }, XAF, 'charge')).toEqual({
      kind: 'failed',
      decline: decline(['declined', 'rail'], null),
    })
  })

  test.each(['ONGOING', 'PENDING', 'DELAYED', 'PAYER_DELAYED', 'PAYEE_DELAYED'])(
    '%s is not final, whatever the status says',
    (reason) => {
      for (const status of ['PENDING', 'FAILED', 'SUCCESSFUL']) {
        expect(judgeQuery(200, { status, reason }, XAF, 'charge')).toEqual({ kind: 'pending' })
        expect(judgeQuery(200, { status, reason: { code: reason } }, XAF, 'charge')).toEqual({
          kind: 'pending',
        })
      }
    },
  )
})

describe('a 5xx to a submit', () => {
  test.each(rows)(
    '$railCode on a $purpose is a decline only if it refuses',
    ({ railCode, purpose, meaning, refuses }) => {
      for (const status of [500, 502, 503]) {
        expect(judgeSubmit(status, { code: railCode, message: 'Why' }, purpose)).toEqual({
          kind: 'ask',
          decline: refuses ? decline(meaning, railCode, 'Why') : null,
        })
      }
    },
  )
})

describe('the other answers to a submit', () => {
  const duplicate = { code: 'RESOURCE_ALREADY_EXIST', message: 'Duplicated reference id.' }
  const declined = (railCode: string | null, railMessage: string | null) => ({
    kind: 'declined',
    decline: decline(misconfigured, railCode, railMessage),
  })
  const table: readonly (readonly [status: number, body: JsonObject | null, verdict: object])[] = [
    [202, null, { kind: 'accepted' }],
    [202, { code: 'NOT_ALLOWED' }, { kind: 'accepted' }],
    [409, duplicate, { kind: 'accepted' }],
    [409, null, { kind: 'ask', decline: null }],
    [400, null, declined(null, null)],
    [400, { code: 'INVALID_CURRENCY', message: 'Currency' }, declined('INVALID_CURRENCY', 'Currency')],
    [403, null, declined(null, null)],
    [403, { statusCode: '403', message: 'Forbidden IP' }, declined(null, 'Forbidden IP')],
    [403, { statusCode: '403', message: 'Out of call volume quota.' }, { kind: 'not_sent' }],
    [403, { statusCode: '403', message: 'Rate limit is exceeded.' }, { kind: 'not_sent' }],
    [429, null, { kind: 'not_sent' }],
    [401, { message: 'ACCESS DENIED DUE TO INVALID SUBSCRIPTION KEY' }, { kind: 'not_sent' }],
    [404, { statusCode: '404', message: 'Resource not found' }, { kind: 'ask', decline: null }],
    [408, null, { kind: 'ask', decline: null }],
    [500, null, { kind: 'ask', decline: null }],
    [200, null, { kind: 'unknown' }],
    [201, { status: 'PENDING' }, { kind: 'unknown' }],
    [204, null, { kind: 'unknown' }],
    [302, null, { kind: 'unknown' }],
  ]

  test.each(table)('%d %j', (status, body, verdict) => {
    expect(judgeSubmit(status, body, 'charge')).toEqual(verdict)
    expect(judgeSubmit(status, body, 'refund')).toEqual(verdict)
  })
})

describe('the answers to a status query', () => {
  const success = {
    status: 'SUCCESSFUL',
    financialTransactionId: '1195582132',
    amount: '5.0',
    currency: 'XAF',
  }
  const succeeded = { kind: 'succeeded', railTxnId: '1195582132', amountMinor: 5, currency: 'XAF' }
  const table: readonly (readonly [status: number, body: JsonObject | null, outcome: object | null])[] = [
    [200, { status: 'PENDING' }, { kind: 'pending' }],
    [200, success, succeeded],
    [200, { ...success, reason: {} }, succeeded],
    [200, { status: 'SUCCESSFUL' }, { kind: 'succeeded', railTxnId: null, amountMinor: -1, currency: '' }],
    [200, { status: 'successful' }, { kind: 'unknown_status', status: 'SUCCESSFUL' }],
    [200, { status: 'AWAITING_PIN' }, { kind: 'unknown_status', status: 'AWAITING_PIN' }],
    [200, { status: '42' }, null],
    [200, {}, null],
    [200, null, null],
    [202, success, null],
    [302, null, null],
    [401, null, null],
    [
      404,
      { code: 'RESOURCE_NOT_FOUND', message: 'Requested resource was not found.' },
      { kind: 'not_found' },
    ],
    [404, { statusCode: '404', message: 'Resource not found' }, null],
    [404, { code: 'NOT_FOUND' }, null],
    [404, null, null],
    [500, { code: 'RESOURCE_NOT_FOUND' }, null],
    [500, { status: 'FAILED', reason: 'EXPIRED' }, null],
    [503, { code: 'SERVICE_UNAVAILABLE' }, null],
  ]

  test.each(table)('%d %j', (status, body, outcome) => {
    expect(judgeQuery(status, body, XAF, 'charge')).toEqual(outcome)
  })
})
