import type { StaffIntentDetail } from '@merchant-payments/contract'
import { connect as connectTo } from '@merchant-payments/testing/client'
import { afterAll, describe, expect, onTestFinished, test } from 'vitest'
import { settle } from '../harness.ts'
import { refundCall, reservedOf } from '../refunds.ts'
import {
  confirmCall,
  confirmedIntent,
  createIntent,
  eventsOf,
  readIntent,
  succeededIntent,
} from '../steps.ts'
import { approve, readApproval, rulingsOf, seenOf } from './approvals.ts'
import { startStaffApi } from './staff.ts'
import { begin, nextDay, uploaded } from './statement-files.ts'

const reason = 'It is in the portal.'

const api = await startStaffApi()
const omar = await api.signInAs('omar')
const olga = await api.signInAs('olga')
afterAll(() => api.stop())

const detailOf = async (intent: string): Promise<StaffIntentDetail> =>
  (await omar.get(`/payment_intents/${intent}`)).body

const ruledIntent = async (statement?: string) => {
  const { id: intent } = await confirmedIntent(api, 'staysPending')
  const charge = (await detailOf(intent)).charges[0]?.id ?? ''
  const form = { outcome: 'succeeded', reason, ...(statement !== undefined && { statement }) }
  expect(await approve(olga, await omar.post(`/charges/${charge}/resolve`, form))).toMatchObject({
    status: 200,
  })
  await settle(api)
  expect((await readIntent(api, intent)).body.status).toBe('succeeded')
  return { intent, charge }
}
const refund = (intent: string) => omar.post(`/payment_intents/${intent}/refund`, { amount: '100', reason })

test('a payment with only a ruling cannot be refunded by staff or merchant until two people record a statement', async () => {
  const { intent, charge } = await ruledIntent()
  expect((await detailOf(intent)).charges).toMatchObject([{ unproven: true, ruling: 'succeeded' }])
  expect(await refund(intent)).toBeRefusal('charge_unproven')
  expect(
    await omar.post(`/payment_intents/${intent}/refund`, { msisdn: '237670000002', reason }),
  ).toBeRefusal('charge_unproven')
  expect(await api.call(refundCall(intent))).toBeRefusal('charge_unproven')
  expect([await reservedOf(api, intent), (await eventsOf(api, intent)).length]).toEqual([0, 1])

  const path = `/charges/${charge}/resolve`
  expect(await omar.post(path, { outcome: 'succeeded', reason })).toBeRefusal('charge_not_resolvable')
  const statement = 'MP250702.1410.C51350'
  const asked = await omar.post(path, { outcome: 'succeeded', reason, statement })
  expect(await readApproval(olga, asked)).toMatchObject({ kind: 'charge.resolve', statement })
  expect(await refund(intent)).toBeRefusal('charge_unproven')
  expect(await approve(olga, asked)).toMatchObject({ status: 200, body: { after: { statement } } })
  expect((await detailOf(intent)).charges).toMatchObject([{ unproven: false, status: 'succeeded' }])
  expect(await omar.post(path, { outcome: 'succeeded', reason, statement })).toBeRefusal(
    'charge_not_resolvable',
  )
  expect(await refund(intent)).toMatchObject({ status: 200 })
  expect(await api.call(refundCall(intent, '&amount=100'))).toMatchObject({ status: 201 })
})

test('a payment with a statement can be refunded at once', async () => {
  const { intent } = await ruledIntent('17677469451')
  expect(await refund(intent)).toMatchObject({ status: 200 })
})

test.each([
  ['17677469453', '17677469453'],
  ['2b1e8a52-7f5e-4a0e-9a52-3c1d2e4f5a6b', '2B1E8A52-7F5E-4A0E-9A52-3C1D2E4F5A6B'],
])(
  '409: %s, which proves another charge, asked for as %s, and when it is approved',
  async (proof, spelling) => {
    const asksFor = async (statement: string) => {
      const { id: intent } = await confirmedIntent(api, 'staysPending')
      const charge = (await detailOf(intent)).charges[0]?.id ?? ''
      return {
        charge,
        ask: () => omar.post(`/charges/${charge}/resolve`, { outcome: 'succeeded', reason, statement }),
      }
    }
    const [first, second] = [await asksFor(proof), await asksFor(spelling)]
    const [asked, late] = [await first.ask(), await second.ask()]
    expect(await approve(olga, asked)).toMatchObject({ status: 200 })
    expect(await approve(olga, late)).toBeRefusal('approval_obsolete')
    const refused = await second.ask()
    expect(refused).toBeRefusal('charge_not_resolvable', 'statement')
    expect(refused.body).toMatchObject({
      error: { message: `statement already proves the charge ${first.charge}` },
    })
  },
)

test('409: an approval at the same time as another ruling with its transaction', async () => {
  const statement = 'TX-AT-ONCE'
  const chargeOf = async () => {
    const { id } = await confirmedIntent(api, 'staysPending')
    return (await detailOf(id)).charges[0]?.id ?? ''
  }
  const [first, second] = [await chargeOf(), await chargeOf()]
  const asked = await omar.post(`/charges/${second}/resolve`, { outcome: 'succeeded', reason, statement })
  const other = await connectTo(api.databaseUrl)
  onTestFinished(() => other.end())
  await other.query('begin')
  await other.query(`select ops_resolve_charge($1, 'succeeded', 'A test.', 'ada', lower($2))`, [
    first,
    statement,
  ])
  const approved = approve(olga, asked)
  const isWaiting = async () =>
    (
      await other.query<{ waits: boolean }>(
        `select exists (select from pg_stat_activity where pg_backend_pid() = any (pg_blocking_pids(pid))) as waits`,
      )
    ).rows[0]?.waits
  while (!(await isWaiting()));
  await other.query('commit')
  expect(await approved).toBeRefusal('approval_obsolete')
  expect(await readApproval(olga, asked)).toMatchObject({ obsolete_because: 'charge_not_resolvable' })
  expect(await rulingsOf(api, second)).toEqual([])
})

test('409: a refund of a payment whose transaction the rail has reported for another since', async () => {
  const { intent, charge } = await ruledIntent('17677469454')
  const { id: other } = await succeededIntent(api)
  await api.owner.transact((tx) =>
    tx
      .updateTable('charges')
      .set({ rail_txn_id: '17677469454' })
      .where('payment_intent_id', '=', other.replace(/^pi_/, ''))
      .execute(),
  )
  expect((await detailOf(intent)).charges).toMatchObject([{ id: charge, unproven: true }])
  expect(await api.call(refundCall(intent))).toBeRefusal('charge_unproven')
  expect(await refund(intent)).toBeRefusal('charge_unproven')
  expect(await refund(other)).toMatchObject({ status: 200 })
})

describe('a request to rule a charge as paid', () => {
  const confirmed = async () => {
    const { id: intent } = await confirmedIntent(api, 'paysAnotherAmount')
    const chargeNow = async () => (await detailOf(intent)).charges[0]
    const charge = (await chargeNow())?.id ?? ''
    const ask = async (statement: string) =>
      omar.post(`/charges/${charge}/resolve`, {
        outcome: 'succeeded',
        reason,
        statement,
        ...seenOf((await chargeNow())?.reported),
      })
    return { intent, charge, chargeNow, ask }
  }

  test('409: ends once the rail has reported another amount', async () => {
    const { intent, charge, chargeNow, ask } = await confirmed()
    const asked = await ask('17677469455')
    await settle(api)
    expect(await chargeNow()).toMatchObject({ status: 'live', reported: { currency: 'XAF' } })
    expect(await approve(olga, asked)).toBeRefusal('approval_obsolete')
    expect(await rulingsOf(api, charge)).toEqual([])
    expect((await readIntent(api, intent)).body.status).not.toBe('succeeded')
  })

  test('200: is approved if the amount was reported before it, and the same one again after it', async () => {
    const { charge, chargeNow, ask } = await confirmed()
    await settle(api)
    const reported = (await chargeNow())?.reported
    const asked = await ask('17677469456')
    expect(await readApproval(olga, asked)).toMatchObject({
      charge_status: 'live',
      reported: { amount: reported?.amount, currency: 'XAF' },
      unproven: false,
    })
    await settle(api, 60_000)
    const later = (await chargeNow())?.reported
    expect(later).toEqual({ ...reported, at: expect.any(Number) })
    expect(later?.at).not.toBe(reported?.at)
    expect(await approve(olga, asked)).toMatchObject({
      status: 200,
      body: { before: { reported_amount: reported?.amount, reported_currency: 'XAF' } },
    })
    expect(await rulingsOf(api, charge)).toHaveLength(1)
  })
})

describe('409: a transaction that the rail’s statement lists with other money or for another charge', () => {
  const waiting = async () => {
    const { id: intent } = await confirmedIntent(api, 'staysPending')
    const [charge] = (await detailOf(intent)).charges
    if (charge === undefined) throw new Error('it has a charge')
    const rule = (statement?: string) =>
      omar.post(`/charges/${charge.id}/resolve`, {
        outcome: 'succeeded',
        reason,
        ...(statement !== undefined && { statement }),
      })
    return { intent, charge, rule }
  }
  const list = (
    transaction: string,
    amount: number,
    { kind = 'Debit', day = nextDay(), reference = '' } = {},
  ) =>
    uploaded(api, omar, [`${transaction},${reference},2026-11-21 10:00:00,Successful,${kind},${amount}`], day)

  test('when it is asked for, but a ruling without evidence is taken', async () => {
    const { charge, rule, intent } = await waiting()
    await list('OTHER1', 5)
    const refused = await rule('OTHER1')
    expect(refused).toBeRefusal('charge_not_resolvable', 'statement')
    expect(refused.body.error.message).toBe(
      `The rail’s statement lists this transaction as a payment of 5 XAF. The charge is of ${charge.amount} XAF, in minor units.`,
    )
    expect(await approve(olga, await rule())).toMatchObject({ status: 200 })
    await settle(api)
    expect((await detailOf(intent)).charges).toMatchObject([{ status: 'succeeded', unproven: true }])
    expect(await rule('OTHER1')).toBeRefusal('charge_not_resolvable', 'statement')
    expect(await refund(intent)).toBeRefusal('charge_unproven')
  })

  test('when it is approved, if the line came meanwhile', async () => {
    const { charge, rule } = await waiting()
    const asked = await rule('OTHER2')
    await list('OTHER2', charge.amount + 1)
    expect(await approve(olga, asked)).toBeRefusal('approval_obsolete')
    expect(await rulingsOf(api, charge.id)).toEqual([])
  })

  test('also as a payout, and also if another line has the charge’s money', async () => {
    const { charge, rule } = await waiting()
    await list('OTHER3', charge.amount, { kind: 'Cash in' })
    const refused = await rule('OTHER3')
    expect(refused).toBeRefusal('charge_not_resolvable', 'statement')
    expect(refused.body.error.message).toContain(`as a payout of ${charge.amount} XAF.`)
    await list('OTHER3', charge.amount)
    expect(await rule('OTHER3')).toBeRefusal('charge_not_resolvable', 'statement')
  })

  test('in whatever case each of them writes it', async () => {
    const { rule } = await waiting()
    await list('0B1E8A52-7F5E-4A0E-9A52-3C1D2E4F5A6B', 5)
    await list('1b1e8a52-7f5e-4a0e-9a52-3c1d2e4f5a6b', 5)
    for (const asked of ['0b1E8a52-7f5e-4a0e-9a52-3c1d2e4f5a6b', '1B1E8A52-7F5E-4A0E-9A52-3C1D2E4F5A6B']) {
      expect(await rule(asked)).toBeRefusal('charge_not_resolvable', 'statement')
    }
  })

  test('as the payment of another charge, which the line names by our reference', async () => {
    const [mine, theirs] = [await waiting(), await waiting()]
    await list('OTHER4', theirs.charge.amount, { reference: theirs.charge.reference })
    const refused = await mine.rule('OTHER4')
    expect(refused).toBeRefusal('charge_not_resolvable', 'statement')
    expect(refused.body.error.message).toBe(
      `The rail’s statement lists this transaction as the payment of the charge ${theirs.charge.id}.`,
    )
    expect(await approve(olga, await theirs.rule('OTHER4'))).toMatchObject({ status: 200 })
  })

  test('but not one with a reference that no charge has', async () => {
    const { charge, rule } = await waiting()
    await list('OTHER5', charge.amount, { reference: 'invoice-5' })
    expect(await approve(olga, await rule('OTHER5'))).toMatchObject({ status: 200 })
  })

  test('but not one with the same money, and not one whose statement was replaced', async () => {
    const { charge, rule, intent } = await waiting()
    const day = nextDay()
    await list('SAME1', 5, { day })
    expect(await rule('SAME1')).toBeRefusal('charge_not_resolvable', 'statement')
    await begin(omar, day)
    await list('SAME1', charge.amount)
    expect(await approve(olga, await rule('SAME1'))).toMatchObject({ status: 200 })
    await settle(api)
    expect(await refund(intent)).toMatchObject({ status: 200 })
  })
})

test('a statement is valid only with a ruling of succeeded, and is not free text', async () => {
  const { id: intent } = await confirmedIntent(api, 'staysPending')
  const path = `/charges/${(await detailOf(intent)).charges[0]?.id}/resolve`
  const wrong = [
    { outcome: 'failed', statement: '17677469451' },
    { outcome: 'succeeded', statement: 'Awa paid' },
    { outcome: 'succeeded', statement: 'x'.repeat(65) },
  ]
  for (const form of wrong) {
    expect(await omar.post(path, { ...form, reason })).toBeRefusal('invalid_request', 'statement')
  }
})

test('409: a duplicate with only a ruling is not returned until a statement is recorded', async () => {
  const { id: intent } = await createIntent(api)
  await api.call(confirmCall(intent, 'failsThenSucceeds'))
  await settle(api)
  await api.call(confirmCall(intent, 'approves'))
  await settle(api, 2_000)
  const failed = (await detailOf(intent)).charges.find(({ status }) => status === 'failed')?.id ?? ''
  const rule = async (statement: object) => {
    const asked = await omar.post(`/charges/${failed}/resolve`, {
      outcome: 'succeeded',
      reason,
      ...statement,
    })
    expect(await approve(olga, asked)).toMatchObject({ status: 200 })
  }
  await rule({})
  await settle(api)
  const chargeNow = async () => (await detailOf(intent)).charges.find(({ id }) => id === failed)
  expect(await chargeNow()).toMatchObject({ status: 'duplicate', unproven: true })
  expect(await omar.post(`/charges/${failed}/return`, { reason })).toBeRefusal('charge_unproven')
  await rule({ statement: '17677469452' })
  expect(await chargeNow()).toMatchObject({ status: 'duplicate', unproven: false })
  expect(await omar.post(`/charges/${failed}/return`, { reason })).toMatchObject({ status: 200 })
})
