import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { CHARGE_SCENARIOS } from '../src/index.ts'
import { startCallbackSink } from './callback-sink.ts'
import { core, outcomeOf, query, startRails, submit, walletNotFound } from './mtn-client.ts'

const rails = await startRails()
afterAll(() => rails.stop())
beforeEach(() => rails.control.reset())

const DECIDED_MS = 1_500
const msisdnOf = (suffix: string) => `237670000${suffix}`
const numberOf = async (suffix: string) => (await submit(rails, { msisdn: msisdnOf(suffix) })).reference

/** The parts of a status body that the scenario decides. */
async function stateOf(reference: string) {
  const { status, body } = await query(rails, reference)
  const { status: state, reason, amount } = body as Record<string, unknown>
  return { http: status, state, reason, amount }
}

const pending = { http: 200, state: 'PENDING', reason: undefined, amount: '1000' }
const successful = { http: 200, state: 'SUCCESSFUL', reason: undefined, amount: '1000' }
const failed = (reason: unknown) => ({ http: 200, state: 'FAILED', reason, amount: '1000' })
const debitsOf = async (reference: string) =>
  (await rails.control.getLedger()).debits.filter((debit) => debit.reference === reference)

describe('numbers that fail', () => {
  test.each([
    ['450', 'INTERNAL_PROCESSING_ERROR'],
    ['451', 'APPROVAL_REJECTED'],
    ['452', 'EXPIRED'],
    ['455', 'PAYER_NOT_FOUND'],
    ['456', 'PAYEE_NOT_ALLOWED_TO_RECEIVE'],
    ['457', 'NOT_ALLOWED'],
    ['458', 'NOT_ALLOWED_TARGET_ENVIRONMENT'],
    ['459', 'INVALID_CALLBACK_URL_HOST'],
    ['460', 'INVALID_CURRENCY'],
    ['461', 'INTERNAL_PROCESSING_ERROR'],
    ['462', 'SERVICE_UNAVAILABLE'],
    ['463', 'COULD_NOT_PERFORM_TRANSACTION'],
    ['464', 'TRANSFER_TYPE_UNKNOWN'],
    ['470', 'NOT_ENOUGH_FUNDS'],
    ['471', 'LOW_BALANCE_OR_PAYEE_LIMIT_REACHED_OR_NOT_ALLOWED'],
    ['472', 'SENDER_ACCOUNT_NOT_ACTIVE'],
    ['473', 'PAYER_LIMIT_REACHED'],
    ['474', 'TRANSACTION_CANCELED'],
  ])('%s is accepted, then FAILED with %s, and debits nobody', async (suffix, reason) => {
    const reference = await numberOf(suffix)
    expect(await stateOf(reference)).toEqual(pending)
    await rails.control.advanceClock(DECIDED_MS)
    expect(await stateOf(reference)).toEqual(failed(reason))
    expect(await debitsOf(reference)).toEqual([])
  })

  test.each([
    ['455', 500, 'PAYER_NOT_FOUND', 'Payer does not exist.'],
    ['456', 500, 'PAYEE_NOT_ALLOWED_TO_RECEIVE', 'Payee is unable to receive funds.'],
    ['457', 500, 'NOT_ALLOWED', 'Authorization failed. Insufficient permissions.'],
    ['458', 500, 'NOT_ALLOWED_TARGET_ENVIRONMENT', 'Access to target environment is forbidden.'],
    [
      '459',
      500,
      'INVALID_CALLBACK_URL_HOST',
      'Callback URL with different host name then configured for API User.',
    ],
    ['460', 500, 'INVALID_CURRENCY', 'Currency not supported.'],
    ['461', 500, 'INTERNAL_PROCESSING_ERROR', 'An internal error occurred while processing.'],
    ['462', 503, 'SERVICE_UNAVAILABLE', 'Service temporarily unavailable, try again later.'],
  ])('%s is refused at the submit if the setting says so', async (suffix, status, code, message) => {
    await rails.control.updateSettings({ mtn: { refusalsAt: 'submit' } })
    const answer = await submit(rails, { msisdn: msisdnOf(suffix) })
    expect(core(answer)).toEqual({ status, body: { code, message } })
    expect(core(await query(rails, answer.reference))).toEqual(walletNotFound)
    expect(await rails.control.listPrompts()).toEqual([])
  })

  test('476 fails with its reason as an object', async () => {
    const reference = await numberOf('476')
    await rails.control.advanceClock(DECIDED_MS)
    expect(await stateOf(reference)).toEqual(
      failed({ code: 'PAYER_NOT_FOUND', message: 'Payer does not exist.' }),
    )
  })

  test('every reason is an object, and a success carries an empty one, where the setting says so', async () => {
    await rails.control.updateSettings({ mtn: { reasonShape: 'object' } })
    const refused = await numberOf('451')
    const paid = await numberOf('001')
    expect(await stateOf(paid)).toEqual(pending)
    await rails.control.advanceClock(DECIDED_MS)
    expect(await stateOf(refused)).toEqual(
      failed({ code: 'APPROVAL_REJECTED', message: 'The payer rejected the request.' }),
    )
    expect(await stateOf(paid)).toEqual({ ...successful, reason: {} })
  })
})

describe('numbers that take their time', () => {
  test('453 is pending for 30 seconds, then successful', async () => {
    const reference = await numberOf('453')
    await rails.control.advanceClock(29_999)
    expect(await stateOf(reference)).toEqual(pending)
    await rails.control.advanceClock(1)
    expect(await stateOf(reference)).toEqual(successful)
  })

  test('454 stays pending', async () => {
    const reference = await numberOf('454')
    await rails.control.advanceClock(24 * 60 * 60 * 1000)
    expect(await stateOf(reference)).toEqual(pending)
  })

  test('475 shows a status word that nobody documents, and never ends by itself', async () => {
    const reference = await numberOf('475')
    await rails.control.advanceClock(24 * 60 * 60 * 1000)
    expect(await stateOf(reference)).toEqual({ ...pending, state: 'AWAITING_AUTHORIZATION' })
    await rails.control.approveCharge(reference)
    expect(await stateOf(reference)).toEqual(successful)
  })

  test('477 says FAILED with a reason that is not final, then succeeds', async () => {
    const reference = await numberOf('477')
    expect(await stateOf(reference)).toEqual(failed('PAYER_DELAYED'))
    await rails.control.advanceClock(30_000)
    expect(await stateOf(reference)).toEqual(successful)
    expect(await debitsOf(reference)).toHaveLength(1)
  })

  test('480 fails, and succeeds late: one debit, and no second callback', async () => {
    const sink = await startCallbackSink()
    const { reference } = await submit(rails, { msisdn: msisdnOf('480'), callbackUrl: sink.url })
    await rails.control.advanceClock(DECIDED_MS)
    expect(await stateOf(reference)).toEqual(failed('COULD_NOT_PERFORM_TRANSACTION'))
    expect(await debitsOf(reference)).toEqual([])
    await sink.wait(1)
    await rails.control.advanceClock(19_999)
    expect(await stateOf(reference)).toEqual(failed('COULD_NOT_PERFORM_TRANSACTION'))
    await rails.control.advanceClock(1)
    expect(await stateOf(reference)).toEqual(successful)
    expect(await debitsOf(reference)).toHaveLength(1)
    expect(sink.received).toMatchObject([{ method: 'PUT', body: { status: 'FAILED' } }])
    expect(await rails.control.listCallbacks({ reference })).toHaveLength(1)
    await sink.stop()
  })

  test('480 passes both steps at once when the clock jumps over them', async () => {
    const reference = await numberOf('480')
    await rails.control.advanceClock(60_000)
    expect(await stateOf(reference)).toEqual(successful)
    expect(await debitsOf(reference)).toHaveLength(1)
  })
})

test('481 succeeds with one unit more, which is what the ledger holds', async () => {
  const reference = await numberOf('481')
  expect(await stateOf(reference)).toEqual(pending)
  await rails.control.advanceClock(DECIDED_MS)
  expect(await stateOf(reference)).toEqual({ ...successful, amount: '1001' })
  expect(await debitsOf(reference)).toMatchObject([{ amount: '1001' }])
})

describe('numbers that change the answer to the submit', () => {
  test('482 is accepted and its connection reset', async () => {
    const reference = crypto.randomUUID()
    await expect(submit(rails, { msisdn: msisdnOf('482'), reference })).rejects.toThrow('fetch failed')
    expect(await stateOf(reference)).toEqual(pending)
    await rails.control.advanceClock(DECIDED_MS)
    expect(await stateOf(reference)).toEqual(successful)
    expect(await rails.control.listCalls({ operation: 'submit' })).toMatchObject([
      { reference, status: null, outcome: 'reset' },
    ])
  })

  test('483 is accepted and answered with HTTP 500', async () => {
    const answer = await submit(rails, { msisdn: msisdnOf('483') })
    expect(core(answer)).toEqual({
      status: 500,
      body: {
        code: 'INTERNAL_PROCESSING_ERROR',
        message: 'An internal error occurred while processing.',
      },
    })
    await rails.control.advanceClock(DECIDED_MS)
    expect(await stateOf(answer.reference)).toEqual(successful)
  })

  test('484 is reset and was never accepted', async () => {
    const reference = crypto.randomUUID()
    await expect(submit(rails, { msisdn: msisdnOf('484'), reference })).rejects.toThrow('fetch failed')
    expect(core(await query(rails, reference))).toEqual(walletNotFound)
    expect(await rails.control.listPrompts()).toEqual([])
  })

  test('485 is accepted and never answered', async () => {
    const reference = crypto.randomUUID()
    const giveUp = new AbortController()
    const unanswered = submit(rails, { msisdn: msisdnOf('485'), reference, signal: giveUp.signal })
    const outcome = outcomeOf(unanswered)
    await expect.poll(() => rails.control.findCharge(reference)).toBeDefined()
    await rails.control.advanceClock(DECIDED_MS)
    expect(await stateOf(reference)).toEqual(successful)
    giveUp.abort()
    expect(await outcome).toBe('AbortError')
  })

  test('488 has its callback answered before the 202 leaves', async () => {
    const order: string[] = []
    const sink = await startCallbackSink(() => order.push('callback'))
    const answer = await submit(rails, { msisdn: msisdnOf('488'), callbackUrl: sink.url })
    order.push('answer')
    expect(core(answer)).toEqual({ status: 202, body: '' })
    expect(order).toEqual(['callback', 'answer'])
    expect(sink.received).toMatchObject([{ body: { status: 'SUCCESSFUL' } }])
    await sink.stop()
  })
})

describe('numbers that change the status', () => {
  test.each([
    [
      '486',
      {
        status: 500,
        body: {
          code: 'INTERNAL_PROCESSING_ERROR',
          message: 'An internal error occurred while processing.',
        },
      },
    ],
    ['487', walletNotFound],
  ])('%s changes only the first three queries', async (suffix, spoiled) => {
    const reference = await numberOf(suffix)
    await rails.control.advanceClock(DECIDED_MS)
    for (let n = 0; n < 3; n++) expect(core(await query(rails, reference))).toEqual(spoiled)
    expect(await stateOf(reference)).toEqual(successful)
  })
})

test('489 sends its callback twice', async () => {
  const sink = await startCallbackSink()
  const { reference } = await submit(rails, { msisdn: msisdnOf('489'), callbackUrl: sink.url })
  await rails.control.advanceClock(DECIDED_MS)
  const [first, second] = await sink.wait(2)
  expect(first).toEqual(second)
  await expect.poll(() => rails.control.listCallbacks({ reference })).toHaveLength(2)
  await sink.stop()
})

describe('000, the number of a person', () => {
  test('waits, and is approved', async () => {
    const reference = await numberOf('000')
    await rails.control.advanceClock(60_000)
    expect(await stateOf(reference)).toEqual(pending)
    expect(await rails.control.approveCharge(reference)).toMatchObject({ state: 'SUCCESSFUL' })
    expect(await stateOf(reference)).toEqual(successful)
  })

  test('can be refused', async () => {
    const reference = await numberOf('000')
    await rails.control.refuseCharge(reference)
    expect(await stateOf(reference)).toEqual(failed('APPROVAL_REJECTED'))
  })

  test('times out after five minutes, or after the configured time', async () => {
    const slow = await numberOf('000')
    const told = await numberOf('000')
    await rails.control.expireCharge(told)
    expect(await stateOf(told)).toEqual(failed('COULD_NOT_PERFORM_TRANSACTION'))
    await rails.control.advanceClock(5 * 60 * 1000 - 1)
    expect(await stateOf(slow)).toEqual(pending)
    await rails.control.advanceClock(1)
    expect(await stateOf(slow)).toEqual(failed('COULD_NOT_PERFORM_TRANSACTION'))
  })
})

test('the scenario is fixed at the submit: later settings do not change it', async () => {
  const reference = await numberOf('001')
  await rails.control.updateSettings({ mtn: { autoApproveAfterMs: 0 } })
  expect(await stateOf(reference)).toEqual(pending)
})

test('every scenario has its own ending', () => {
  const suffixes = CHARGE_SCENARIOS.map((scenario) => scenario.suffix)
  expect(new Set(suffixes).size).toBe(suffixes.length)
})
