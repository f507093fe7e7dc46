import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { SettingsPatch } from '../src/index.ts'
import { type CallbackSink, recordsOf, startCallbackSink } from './callback-sink.ts'
import { START_MS, startRails } from './mtn-client.ts'
import { ask, open, payWith, stateOf, visit } from './orange-client.ts'

const rails = await startRails()
let sink: CallbackSink
afterAll(() => rails.stop())
beforeEach(async () => {
  await rails.control.reset()
  sink = await startCallbackSink()
})
afterEach(() => sink.stop())

type Mode = NonNullable<SettingsPatch['orange']>['notifications']

async function payIn(notifications: Mode, suffix = '001', notif_url = sink.url) {
  await rails.control.updateSettings({ orange: { notifications } })
  const paid = await open(rails, { body: { notif_url } })
  await payWith(paid.url, suffix)
  await rails.control.advanceClock(1_500)
  return paid
}

describe('a notification', () => {
  test('is a POST of three fields, without amount or order, and its outcome is recorded', async () => {
    const paid = await payIn('on', '001', `${sink.url}?c=1`)
    const body = {
      status: 'SUCCESS',
      notif_token: paid.notifToken,
      txnid: expect.stringMatching(/^MP270115\.0000\.A\d{5}$/),
    }
    expect(await sink.wait(1)).toEqual([{ method: 'POST', url: '/provider/mtn/callback?c=1', body }])
    expect(await recordsOf(rails, paid.orderId, 1)).toEqual([
      {
        rail: 'orange',
        reference: paid.orderId,
        method: 'POST',
        url: `${sink.url}?c=1`,
        body: JSON.stringify(sink.received[0]?.body),
        outcome: 'answered',
        status: 200,
        error: null,
        atMs: START_MS + 1_500,
      },
    ])
  })

  test('has the txnid that the status then shows', async () => {
    const paid = await payIn('on')
    const received = await sink.wait(1)
    const { body } = await ask(rails, paid)
    const { txnid } = body as { txnid: string }
    expect(received).toMatchObject([{ body: { txnid } }])
  })

  test('reports a failure too, with the number that was tried', async () => {
    const paid = await payIn('on', '471')
    expect(await sink.wait(1)).toMatchObject([
      { body: { status: 'FAILED', notif_token: paid.notifToken, txnid: expect.stringMatching(/^MP/) } },
    ])
  })

  test('follows a refusal at the page and a decision of the control plane', async () => {
    const refused = await open(rails, { body: { notif_url: sink.url } })
    await visit(refused.url, { decision: 'refuse' })
    expect(await sink.wait(1)).toMatchObject([{ body: { status: 'FAILED' } }])
    const approved = await open(rails, { body: { notif_url: sink.url } })
    await rails.control.approveCharge(approved.orderId)
    expect((await sink.wait(2))[1]).toMatchObject({ body: { status: 'SUCCESS' } })
  })

  test('does not report an expiry', async () => {
    const expired = await open(rails, { body: { notif_url: sink.url } })
    await rails.control.advanceClock(10 * 60 * 1000)
    expect(await stateOf(rails, expired)).toBe('EXPIRED')
    const later = await payIn('on')
    await recordsOf(rails, later.orderId, 1)
    expect(await rails.control.listCallbacks({ reference: expired.orderId })).toEqual([])
  })

  test('that cannot be delivered is not repeated', async () => {
    const gone = await startCallbackSink()
    await gone.stop()
    const { orderId } = await payIn('on', '001', gone.url)
    expect(await recordsOf(rails, orderId, 1)).toMatchObject([{ outcome: 'failed', error: 'ECONNREFUSED' }])
    await rails.control.advanceClock(60 * 60 * 1000)
    expect(await rails.control.listCallbacks({ reference: orderId })).toHaveLength(1)
  })
})

describe('the notification setting', () => {
  test('off drops it, and records what it would have sent', async () => {
    const { orderId } = await payIn('off')
    expect(await recordsOf(rails, orderId, 1)).toMatchObject([
      { outcome: 'suppressed', method: 'POST', status: null },
    ])
    expect(sink.received).toEqual([])
    expect((await rails.control.getLedger()).debitCount).toBe(1)
  })

  test('duplicate sends the same notification twice', async () => {
    await payIn('duplicate')
    const [first, second] = await sink.wait(2)
    expect(first).toMatchObject({ body: { status: 'SUCCESS' } })
    expect(second).toEqual(first)
  })

  test('garbage sends no JSON', async () => {
    await payIn('garbage')
    expect(await sink.wait(1)).toMatchObject([{ method: 'POST', body: expect.stringMatching(/^<xml>/) }])
  })

  test('forged_success announces an unpaid order as paid, with the true notif_token', async () => {
    await rails.control.updateSettings({ orange: { notifications: 'forged_success' } })
    const paid = await open(rails, { body: { notif_url: sink.url } })
    expect(await sink.wait(1)).toMatchObject([{ body: { status: 'SUCCESS', notif_token: paid.notifToken } }])
    expect(await stateOf(rails, paid)).toBe('INITIATED')
    expect((await rails.control.getLedger()).debits).toEqual([])
    await payWith(paid.url, '471')
    await rails.control.advanceClock(1_500)
    expect((await sink.wait(2))[1]).toMatchObject({ body: { status: 'FAILED' } })
  })

  test('of one rail does not change the other', async () => {
    await rails.control.updateSettings({ mtn: { callbacks: 'off' } })
    await payIn('on')
    expect(await sink.wait(1)).toMatchObject([{ body: { status: 'SUCCESS' } }])
  })
})
