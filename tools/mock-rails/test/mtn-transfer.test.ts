import { afterAll, beforeEach, expect, test } from 'vitest'
import { core, query, START_MS, startRails, submit, subscriptionKey, walletNotFound } from './mtn-client.ts'

const rails = await startRails()
afterAll(() => rails.stop())
beforeEach(() => rails.control.reset())

const transfer = (options: Parameters<typeof submit>[1]) => submit(rails, options, 'disbursement')
const status = (reference: string) => query(rails, reference, 'disbursement')

test('a transfer is accepted, credits its payee once, and shows no prompt', async () => {
  const { reference, ...answer } = await transfer({ msisdn: '237670000001' })
  expect(core(answer)).toEqual({ status: 202, body: '' })
  await rails.control.advanceClock(1_500)
  expect(core(await status(reference))).toEqual({
    status: 200,
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
  })
  expect(await rails.control.getLedger()).toEqual({
    debits: [],
    credits: [
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
    debitCount: 0,
    creditCount: 1,
    debitsDropped: 0,
    creditsDropped: 0,
  })
  expect(await rails.control.listPrompts()).toEqual([])
  expect(await rails.control.findTransfer(reference)).toMatchObject({
    state: 'SUCCESSFUL',
    scenario: 'other',
  })
})

test.each([
  ['450', 'INTERNAL_PROCESSING_ERROR'],
  ['451', 'APPROVAL_REJECTED'],
  ['452', 'EXPIRED'],
  ['455', 'NOT_ENOUGH_FUNDS'],
  ['456', 'PAYER_LIMIT_REACHED'],
  ['457', 'PAYEE_NOT_FOUND'],
  ['458', 'NOT_ALLOWED'],
  ['459', 'NOT_ALLOWED_TARGET_ENVIRONMENT'],
  ['460', 'INVALID_CALLBACK_URL_HOST'],
  ['461', 'INVALID_CURRENCY'],
  ['462', 'INTERNAL_PROCESSING_ERROR'],
  ['463', 'SERVICE_UNAVAILABLE'],
  ['464', 'TRANSFER_TYPE_UNKNOWN'],
])('a transfer to %s is FAILED with %s and credits nobody', async (suffix, reason) => {
  const { reference } = await transfer({ msisdn: `237670000${suffix}` })
  await rails.control.advanceClock(1_500)
  expect((await status(reference)).body).toMatchObject({ status: 'FAILED', reason })
  expect((await rails.control.getLedger()).credits).toEqual([])
})

test('a transfer has the same checks as a request to pay', async () => {
  expect(core(await transfer({ body: { amount: 1000 } }))).toEqual({ status: 400, body: '' })
  expect(core(await transfer({ body: { payee: undefined, payer: { partyIdType: 'MSISDN' } } }))).toEqual({
    status: 400,
    body: '',
  })
  expect(core(await transfer({ msisdn: '670000001' }))).toEqual({
    status: 500,
    body: { code: 'PAYEE_NOT_FOUND', message: 'Payee does not exist.' },
  })
  const key = { 'ocp-apim-subscription-key': subscriptionKey('collection') }
  expect((await transfer({ headers: key })).status).toBe(401)
})

test('charges and transfers have separate references', async () => {
  const { reference } = await transfer({})
  expect(core(await query(rails, reference))).toEqual(walletNotFound)
  expect((await submit(rails, { reference })).status).toBe(202)
  expect((await transfer({ reference })).status).toBe(409)
})

test('a transfer whose answer was lost can be queried', async () => {
  const reference = crypto.randomUUID()
  await expect(transfer({ msisdn: '237670000482', reference })).rejects.toThrow('fetch failed')
  expect((await status(reference)).body).toMatchObject({ status: 'PENDING' })
})

test('453 and 454 stay pending for a transfer too', async () => {
  const ongoing = (await transfer({ msisdn: '237670000453' })).reference
  const delayed = (await transfer({ msisdn: '237670000454' })).reference
  await rails.control.advanceClock(30_000)
  expect((await status(ongoing)).body).toMatchObject({ status: 'SUCCESSFUL' })
  expect((await status(delayed)).body).toMatchObject({ status: 'PENDING' })
})
