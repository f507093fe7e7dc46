import { uuidOf } from '@merchant-payments/core'
import { holdTransaction } from '@merchant-payments/testing'
import { afterAll, describe, expect, test } from 'vitest'
import { settle } from '../harness.ts'
import { confirmedIntent, readIntent, succeededIntent } from '../steps.ts'
import { rulingsOf, seenOf } from './approvals.ts'
import { startStaffApi } from './staff.ts'

const api = await startStaffApi()
const omar = await api.signInAs('omar')
afterAll(() => api.stop())

const chargeOf = async (intent: string) => (await omar.get(`/payment_intents/${intent}`)).body.charges[0]

describe('dash.charges.query', () => {
  test('200: the rail is queried at once, but not before the interval after its last answer has passed', async () => {
    const { id: intent } = await confirmedIntent(api, 'staysPending')
    for (let asked = 0; asked < 5; asked += 1) await settle(api, 20_000)
    const { id, next_query_at: next, last_query_at: last } = await chargeOf(intent)
    const { status, body } = await omar.post(`/charges/${id}/query`, { reason: 'The payer is on the phone.' })
    expect(status).toBe(200)
    expect(body).toMatchObject({ action: 'charge.query', target: id, before: { next_query_at: next } })
    expect(body.after.next_query_at).toBeLessThan(next)
    expect(body.after.next_query_at).toBeGreaterThanOrEqual(last + 2)
    const again = await omar.post(`/charges/${id}/query`, { reason: 'Still there.' })
    expect(again.body.after).toEqual(body.after)
    expect(await chargeOf(intent)).toMatchObject({ status: 'live', last_query_at: last })
  })

  test('200: a charge that failed is queried again after its watch has ended', async () => {
    const { id: intent } = await confirmedIntent(api, 'declines')
    await settle(api, 20_000)
    const { id } = await chargeOf(intent)
    await api.owner.transact((tx) => tx.deleteFrom('charge_jobs').execute())
    const { status, body } = await omar.post(`/charges/${id}/query`, { reason: 'The payer was debited.' })
    expect(status).toBe(200)
    expect(body).toMatchObject({
      before: { next_query_at: null },
      after: { next_query_at: expect.any(Number) },
    })
    await settle(api, 3_000)
    expect(await chargeOf(intent)).toMatchObject({ status: 'failed', last_query_at: expect.any(Number) })
  })

  test('503: a charge whose job another transaction holds; the same request may come again', async () => {
    const { id: intent } = await confirmedIntent(api, 'staysPending')
    const { id } = await chargeOf(intent)
    const free = await holdTransaction(api.owner, (tx) =>
      tx.selectFrom('charge_jobs').select('rail').where('charge_id', '=', uuidOf(id)).forUpdate().execute(),
    )
    const query = () => omar.post(`/charges/${id}/query`, { reason: 'The payer is on the phone.' })
    expect(await query()).toBeRefusal('service_unavailable')
    await free()
    expect((await query()).status).toBe(200)
  })

  test('409: a charge that is paid', async () => {
    const { id } = await chargeOf((await succeededIntent(api)).id)
    expect(await omar.post(`/charges/${id}/query`, { reason: 'Once more.' })).toBeRefusal(
      'charge_not_queryable',
    )
  })
})

describe('dash.charges.resolve', () => {
  test('200: a ruling of failed changes no state; the settle pass does, with its event', async () => {
    const { id: intent } = await confirmedIntent(api, 'staysPending')
    const { id } = await chargeOf(intent)
    const reason = 'MTN statement of 21 November, line 18'
    const { status, body } = await omar.post(`/charges/${id}/resolve`, { outcome: 'failed', reason })
    expect(status).toBe(200)
    expect(body).toMatchObject({
      action: 'charge.resolve',
      target: id,
      before: { status: 'live', ruling: null },
      after: { status: 'live', ruling: 'failed' },
    })
    expect(await rulingsOf(api, id)).toEqual([{ operator: 'omar', outcome: 'failed', reason }])
    expect((await readIntent(api, intent)).body.status).toBe('processing')
    await settle(api)
    expect((await readIntent(api, intent)).body.status).toBe('requires_payment_method')
  })

  describe('of which the rail reports other money', () => {
    const reason = 'The portal of the operator has no payment.'
    const confirmed = async () => {
      const { id: intent } = await confirmedIntent(api, 'paysAnotherAmount')
      const { id } = await chargeOf(intent)
      return { intent, id }
    }

    test.each(['failed', 'succeeded'])(
      '409: a ruling of %s by somebody who saw no report, or another one',
      async (outcome) => {
        const { intent, id } = await confirmed()
        await settle(api)
        const rule = (seen: Record<string, string>) =>
          omar.post(`/charges/${id}/resolve`, { outcome, reason, ...seen })
        expect(await rule({})).toBeRefusal('charge_changed')
        expect(await rule({ seen_reported_amount: '4999', seen_reported_currency: 'XAF' })).toBeRefusal(
          'charge_changed',
        )
        expect(await rule({ seen_reported_amount: '', seen_reported_currency: 'XAF' })).toBeRefusal(
          'charge_changed',
        )
        expect(await rulingsOf(api, id)).toEqual([])
        expect((await chargeOf(intent)).status).toBe('live')
        expect((await omar.get(`/audit_entries?target=${id}`)).body.data).toEqual([])
      },
    )

    test('200: a ruling of failed by somebody who saw the report', async () => {
      const { intent, id } = await confirmed()
      await settle(api)
      const { reported } = await chargeOf(intent)
      const answer = await omar.post(`/charges/${id}/resolve`, {
        outcome: 'failed',
        reason,
        ...seenOf(reported),
      })
      expect(answer).toMatchObject({
        status: 200,
        body: { before: { reported_amount: reported.amount, reported_currency: reported.currency } },
      })
    })

    test('409: a ruling by somebody who saw a report that is no longer there', async () => {
      const { id } = await confirmed()
      const answer = await omar.post(`/charges/${id}/resolve`, {
        outcome: 'failed',
        reason,
        seen_reported_amount: '5001',
        seen_reported_currency: 'XAF',
      })
      expect(answer).toBeRefusal('charge_changed')
    })
  })

  test('400: a reported amount that is no number', async () => {
    const { id } = await chargeOf((await confirmedIntent(api, 'staysPending')).id)
    const answer = await omar.post(`/charges/${id}/resolve`, {
      outcome: 'failed',
      reason: 'No.',
      seen_reported_amount: '5 001',
    })
    expect(answer).toBeRefusal('invalid_request', 'seen_reported_amount')
  })

  test('400: an outcome other than succeeded or failed', async () => {
    const { id } = await chargeOf((await confirmedIntent(api, 'staysPending')).id)
    const answer = await omar.post(`/charges/${id}/resolve`, { outcome: 'duplicate', reason: 'No.' })
    expect(answer).toBeRefusal('invalid_request', 'outcome')
  })

  test('409: a charge that already has the outcome', async () => {
    const { id } = await chargeOf((await succeededIntent(api)).id)
    const answer = await omar.post(`/charges/${id}/resolve`, { outcome: 'failed', reason: 'No.' })
    expect(answer).toBeRefusal('charge_not_resolvable')
    expect((await omar.get(`/audit_entries?target=${id}`)).body.data).toEqual([])
  })
})
