import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { access, call, paymentBody, query, START_MS, startRails, submit } from './mtn-client.ts'

const rails = await startRails()
afterAll(() => rails.stop())
beforeEach(() => rails.control.reset())

describe('a debit', () => {
  test('is recorded once, with everything that identifies it', async () => {
    const { reference } = await submit(rails)
    expect((await rails.control.getLedger()).debits).toEqual([])
    await rails.control.advanceClock(1_500)
    for (let n = 0; n < 3; n++) await query(rails, reference)
    await rails.control.advanceClock(3_600_000)
    expect(await rails.control.getLedger()).toEqual({
      debits: [
        {
          rail: 'mtn',
          reference,
          externalId: 'order-1',
          amount: '1000',
          currency: 'XAF',
          msisdn: '237670000001',
          atMs: START_MS + 1_500,
        },
      ],
      credits: [],
      debitCount: 1,
      creditCount: 0,
      debitsDropped: 0,
      creditsDropped: 0,
    })
  })

  test('is not repeated by a second approval, nor undone by a later refusal', async () => {
    const { reference } = await submit(rails, { msisdn: '237670000000' })
    await rails.control.approveCharge(reference)
    const again = { status: 409, message: 'the charge is already SUCCESSFUL' }
    await expect(rails.control.approveCharge(reference)).rejects.toMatchObject(again)
    await expect(rails.control.refuseCharge(reference)).rejects.toMatchObject(again)
    await rails.control.advanceClock(600_000)
    expect(await rails.control.getLedger()).toMatchObject({ debitCount: 1 })
  })

  test('does not follow a refusal, even of the late success', async () => {
    const { reference } = await submit(rails, { msisdn: '237670000480' })
    await rails.control.refuseCharge(reference)
    await rails.control.advanceClock(600_000)
    expect(await rails.control.findCharge(reference)).toMatchObject({
      state: 'FAILED',
      reason: 'APPROVAL_REJECTED',
      movedAmount: null,
    })
    expect(await rails.control.getLedger()).toMatchObject({ debitCount: 0 })
  })

  test('does not follow a refusal by a number that would have paid', async () => {
    const { reference } = await submit(rails, { msisdn: '237670000001' })
    await rails.control.refuseCharge(reference)
    await rails.control.advanceClock(600_000)
    expect(await rails.control.findCharge(reference)).toMatchObject({ state: 'FAILED' })
    expect(await rails.control.getLedger()).toMatchObject({ debitCount: 0 })
  })

  test('is one per reference, however often and however concurrently it is submitted', async () => {
    const references = Array.from({ length: 20 }, () => crypto.randomUUID())
    const headers = { ...(await access(rails)), 'content-type': 'application/json' }
    const body = JSON.stringify(paymentBody('payer', '237670000001'))
    const answers = await Promise.all(
      [...references, ...references, ...references].map((reference) =>
        call(
          rails.wireUrl,
          'POST',
          '/collection/v1_0/requesttopay',
          { ...headers, 'x-reference-id': reference },
          body,
        ),
      ),
    )
    expect(answers.filter((answer) => answer.status === 202)).toHaveLength(20)
    expect(answers.filter((answer) => answer.status === 409)).toHaveLength(40)
    await rails.control.advanceClock(1_500)
    const { debits } = await rails.control.getLedger()
    expect(debits.map((debit) => debit.reference).sort()).toEqual([...references].sort())
    expect(await rails.control.listPrompts()).toHaveLength(20)
  })
})

test('a limit shows the newest movements, and the counts cover all', async () => {
  await rails.control.updateSettings({ mtn: { autoApproveAfterMs: 0 } })
  await submit(rails)
  const { reference } = await submit(rails)
  const ledger = await rails.control.getLedger({ limit: 1 })
  expect(ledger.debits.map((debit) => debit.reference)).toEqual([reference])
  expect(ledger.debitCount).toBe(2)
})
