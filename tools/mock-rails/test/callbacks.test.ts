import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { SettingsPatch } from '../src/index.ts'
import { type CallbackSink, recordsOf, startCallbackSink } from './callback-sink.ts'
import { query, START_MS, startRails, submit } from './mtn-client.ts'

const rails = await startRails()
let sink: CallbackSink
afterAll(() => rails.stop())
beforeEach(async () => {
  await rails.control.reset()
  sink = await startCallbackSink()
})
afterEach(() => sink.stop())

type Mode = NonNullable<SettingsPatch['mtn']>['callbacks']

async function payWith(callbacks: Mode, msisdn = '237670000001', callbackUrl = sink.url) {
  await rails.control.updateSettings({ mtn: { callbacks } })
  const { reference } = await submit(rails, { msisdn, callbackUrl })
  await rails.control.advanceClock(1_500)
  return reference
}

describe('a callback', () => {
  test('is a PUT of the status body to the given URL, and its outcome is recorded', async () => {
    const reference = await payWith('on', '237670000001', `${sink.url}?c=token`)
    const [received] = await sink.wait(1)
    const { body } = await query(rails, reference)
    expect(received).toEqual({ method: 'PUT', url: '/provider/mtn/callback?c=token', body })
    expect(JSON.stringify(body), 'MTN does not send the reference').not.toContain(reference)
    expect(await recordsOf(rails, reference, 1)).toEqual([
      {
        rail: 'mtn',
        reference,
        method: 'PUT',
        url: `${sink.url}?c=token`,
        body: JSON.stringify(body),
        outcome: 'answered',
        status: 200,
        error: null,
        atMs: START_MS + 1_500,
      },
    ])
  })

  test('reports a failure too', async () => {
    await payWith('on', '237670000451')
    expect(await sink.wait(1)).toMatchObject([{ body: { status: 'FAILED', reason: 'APPROVAL_REJECTED' } }])
  })

  test('follows a decision on the handset', async () => {
    const { reference } = await submit(rails, { msisdn: '237670000000', callbackUrl: sink.url })
    await rails.control.refuseCharge(reference)
    expect(await sink.wait(1)).toMatchObject([{ body: { reason: 'APPROVAL_REJECTED' } }])
  })

  test('reports a transfer with its payee', async () => {
    await submit(rails, { callbackUrl: sink.url }, 'disbursement')
    await rails.control.advanceClock(1_500)
    expect(await sink.wait(1)).toEqual([
      {
        method: 'PUT',
        url: '/provider/mtn/callback',
        body: {
          financialTransactionId: expect.stringMatching(/^\d{10}$/),
          externalId: 'order-1',
          amount: '1000',
          currency: 'XAF',
          payee: { partyIdType: 'MSISDN', partyId: '237670000001' },
          payerMessage: 'Order 1',
          payeeNote: 'Shop',
          status: 'SUCCESSFUL',
        },
      },
    ])
  })

  test('is a POST if the setting says so', async () => {
    await rails.control.updateSettings({ mtn: { callbackMethod: 'POST' } })
    await payWith('on')
    expect(await sink.wait(1)).toMatchObject([{ method: 'POST', body: { status: 'SUCCESSFUL' } }])
  })

  test('is sent by the timer, without a query', async () => {
    const own = await startRails({ mtn: { autoApproveAfterMs: 0 } })
    await submit(own, { callbackUrl: sink.url })
    expect(await sink.wait(1)).toMatchObject([{ body: { status: 'SUCCESSFUL' } }])
    await own.stop()
  })

  test('is not sent for a charge without a URL', async () => {
    const { reference } = await submit(rails)
    await rails.control.advanceClock(1_500)
    const later = await payWith('on')
    await recordsOf(rails, later, 1)
    expect(await rails.control.listCallbacks({ reference })).toEqual([])
  })

  test('that cannot be delivered is not repeated', async () => {
    const gone = await startCallbackSink()
    await gone.stop()
    const reference = await payWith('on', '237670000001', gone.url)
    expect(await recordsOf(rails, reference, 1)).toMatchObject([
      { outcome: 'failed', status: null, error: 'ECONNREFUSED' },
    ])
    await rails.control.advanceClock(3_600_000)
    expect(await rails.control.listCallbacks({ reference })).toHaveLength(1)
  })
})

describe('the callback setting', () => {
  test('off sends nothing and records what it would have sent', async () => {
    const reference = await payWith('off')
    expect(await rails.control.listCallbacks({ reference })).toMatchObject([
      { outcome: 'suppressed', method: 'PUT', status: null },
    ])
    expect(sink.received).toEqual([])
  })

  test('duplicate sends the same callback twice', async () => {
    await payWith('duplicate')
    const [first, second] = await sink.wait(2)
    expect(first).toEqual(second)
  })

  test('garbage sends no JSON', async () => {
    await payWith('garbage')
    expect(await sink.wait(1)).toMatchObject([{ method: 'PUT', body: expect.stringMatching(/^<xml>/) }])
  })

  test('wrong_method sends a PATCH', async () => {
    await payWith('wrong_method')
    expect(await sink.wait(1)).toMatchObject([{ method: 'PATCH', body: { status: 'SUCCESSFUL' } }])
  })

  test('forged_success announces a success while the charge is pending, without a debit', async () => {
    await rails.control.updateSettings({ mtn: { callbacks: 'forged_success' } })
    const { reference } = await submit(rails, { msisdn: '237670000000', callbackUrl: sink.url })
    expect(await sink.wait(1)).toMatchObject([{ body: { status: 'SUCCESSFUL', amount: '1000' } }])
    expect(await rails.control.findCharge(reference)).toMatchObject({ state: 'PENDING' })
    expect((await rails.control.getLedger()).debits).toEqual([])
  })
})
