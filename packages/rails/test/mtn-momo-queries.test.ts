import { randomUUID } from 'node:crypto'
import type { RailEvidence } from '@merchant-payments/core'
import { describe, expect, test } from 'vitest'
import { createMtnMomo } from '../src/index.ts'
import { atRail, config, denied, lookup, openRail, reference, walletNotFound } from './open-rail.ts'
import { evidence, html, json, reset, type Respond } from './operator.ts'
import type { WalletScript } from './wallet.ts'

describe('status queries', () => {
  test.each<[string, Respond, object]>([
    ['gone', walletNotFound, { kind: 'not_found' }],
    [
      'a gateway without the route',
      json(404, { statusCode: 404, message: 'Resource not found' }),
      { kind: 'unavailable', evidence: evidence({ operation: 'query', httpStatus: 404 }) },
    ],
    [
      'an outage',
      json(503, { code: 'SERVICE_UNAVAILABLE' }),
      {
        kind: 'unavailable',
        evidence: evidence({ operation: 'query', httpStatus: 503, railCode: 'SERVICE_UNAVAILABLE' }),
      },
    ],
    [
      'an error whose code could be a number',
      json(500, { code: '237670000001' }),
      { kind: 'unavailable', evidence: evidence({ operation: 'query', httpStatus: 500 }) },
    ],
    [
      'a reset',
      reset,
      { kind: 'unavailable', evidence: evidence({ operation: 'query', errno: 'ECONNRESET' }) },
    ],
    [
      'a page',
      html(200),
      { kind: 'unavailable', evidence: evidence({ operation: 'query', httpStatus: 200 }) },
    ],
    [
      'a success with numbers instead of strings',
      json(200, { status: 'SUCCESSFUL', amount: 1000, currency: 'XAF', financialTransactionId: 42 }),
      { kind: 'succeeded', railTxnId: '42', amountMinor: 1000, currency: 'XAF' },
    ],
    [
      'a success with our reference in capitals',
      json(200, {
        status: 'SUCCESSFUL',
        amount: '1000',
        currency: 'XAF',
        externalId: reference.toUpperCase(),
      }),
      { kind: 'succeeded', railTxnId: null, amountMinor: 1000, currency: 'XAF' },
    ],
    [
      'a success of another charge of ours',
      json(200, { status: 'SUCCESSFUL', amount: '1000', currency: 'XAF', externalId: randomUUID() }),
      { kind: 'unavailable', evidence: evidence({ operation: 'query', httpStatus: 200 }) },
    ],
    [
      'a success without an amount',
      json(200, { status: 'SUCCESSFUL' }),
      { kind: 'succeeded', railTxnId: null, amountMinor: -1, currency: '' },
    ],
  ])('%s', async (_case, answer, outcome) => {
    const { rail, calls, trace } = await openRail({ query: answer })
    expect(await rail.queryCharge(atRail)).toEqual(outcome)
    expect(trace()).toEqual(['token', 'query'])
    expect(calls[1]?.path).toBe(`/collection/v1_0/requesttopay/${reference}`)
  })

  test('a 401 is retried with a new token', async () => {
    const { rail, trace } = await openRail({ query: [denied, json(200, { status: 'PENDING' })] })
    expect(await rail.queryCharge(atRail)).toEqual({ kind: 'pending' })
    expect(trace()).toEqual(['token', 'query', 'token', 'query'])
  })

  test('a refund is queried where it was sent', async () => {
    const failed = json(200, {
      status: 'FAILED',
      reason: { code: 'PAYEE_NOT_FOUND', message: 'No such payee' },
    })
    const { rail, calls } = await openRail({ query: failed })
    expect(await rail.refunds?.queryRefund(reference)).toEqual({
      kind: 'failed',
      decline: {
        code: 'payee_refused',
        actor: 'payer',
        railCode: 'PAYEE_NOT_FOUND',
        railMessage: 'No such payee',
      },
    })
    expect(calls[1]?.path).toBe(`/disbursement/v1_0/transfer/${reference}`)
  })
})

describe('account holders', () => {
  const unavailable = (found: Partial<RailEvidence>) => ({
    kind: 'unavailable',
    evidence: evidence({ operation: 'lookup', ...found }),
  })

  test.each<[string, WalletScript, object]>([
    ['registered', {}, { kind: 'found', name: 'Sand Box', active: true }],
    [
      'not active',
      { active: json(200, { result: false }) },
      { kind: 'found', name: 'Sand Box', active: false },
    ],
    ['unknown', { active: walletNotFound }, { kind: 'not_found' }],
    ['nameless', { info: json(200, {}) }, { kind: 'found', name: null, active: true }],
    ['a lost name', { info: reset }, { kind: 'found', name: null, active: true }],
    ['an outage', { active: html(500) }, unavailable({ httpStatus: 500 })],
    ['a gateway without the route', { active: html(404) }, unavailable({ httpStatus: 404 })],
    ['an unreadable answer', { active: json(200, {}) }, unavailable({ httpStatus: 200 })],
  ])('%s', async (_case, script, outcome) => {
    const { rail, calls } = await openRail(script)
    expect(await rail.accountHolders?.findAccountHolder(lookup)).toEqual(outcome)
    expect(calls[1]?.path).toBe('/collection/v1_0/accountholder/msisdn/237670000001/active')
  })
})

describe('the adapter as a rail', () => {
  test('reports its capabilities', () => {
    const rail = createMtnMomo({ ...config, totalTimeoutMs: 20_000 })
    const { capabilities, submitTimeoutMs, callbacks } = rail
    expect({ ...capabilities, submitTimeoutMs, callbacks }).toEqual({
      flow: 'push',
      settlementCurrency: 'XAF',
      instrument: 'msisdn',
      lostSubmitIsHarmless: false,
      queriedBy: 'reference',
      approvalWindowMs: 300_000,
      firstQueryAfterMs: 2_000,
      submitTimeoutMs: 25_000,
      callbacks: true,
    })
    expect(rail.refunds?.dedupes).toBe(true)
  })

  test('has no refunds or callbacks without their configuration', () => {
    const rail = createMtnMomo({ ...config, disbursement: null, callbacks: false })
    expect(rail).toMatchObject({ refunds: null, callbacks: false })
  })

  test('mints version 4 UUIDs', () => {
    const rail = createMtnMomo(config)
    expect(rail.mintReference()).toMatch(/^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/)
    expect(rail.mintReference()).not.toBe(rail.mintReference())
  })
})
