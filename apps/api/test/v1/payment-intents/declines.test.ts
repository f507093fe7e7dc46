import type { DeclineCode } from '@merchant-payments/contract'
import type { RailCode } from '@merchant-payments/core'
import type { FaultInput } from '@merchant-payments/mock-rails'
import { afterAll, afterEach, describe, expect, test } from 'vitest'
import { ORANGE_RAIL, PUSH_RAIL, settle, startTestApi } from '../../harness.ts'
import { confirmAtOrange, createAtOrange, withMockOrange } from '../../mock-orange.ts'
import { confirmCall, createIntent, eventsOf, readIntent } from '../../steps.ts'

const api = await withMockOrange(await startTestApi())
afterAll(() => api.stop())
// No test settles charges that another left waiting, because the rail's answer would be the next test's.
afterEach(async () => {
  await api.mock.control.clearFaults()
  await api.db.transact((tx) => tx.deleteFrom('charge_jobs').execute())
})

const shown = ({ status, last_payment_error }: Record<string, unknown>) => ({ status, last_payment_error })

/** The intent, and its events. */
const refusalOf = async (id: string) => ({
  read: shown((await readIntent(api, id)).body),
  told: (await eventsOf(api, id)).map(({ type, data }) => ({ type, ...shown(data.object) })),
})

const waiting = { status: 'processing', last_payment_error: null }

/** All fields are ours except the rail's own code and message. */
function refused(
  rail: RailCode,
  code: DeclineCode,
  declineCode: string | null,
  message: string | null = null,
) {
  const error = { type: 'rail_error', code, decline_code: declineCode, message, payment_method_type: rail }
  const read = { status: 'requires_payment_method', last_payment_error: error }
  return { read, told: [{ type: 'payment_intent.payment_failed', ...read }] }
}

/** Codes of rails, and ours, for a live request to pay that failed. */
const endings: [DeclineCode, ...string[]][] = [
  ['insufficient_funds', 'NOT_ENOUGH_FUNDS'],
  ['insufficient_funds_or_limit', 'LOW_BALANCE_OR_PAYEE_LIMIT_REACHED_OR_NOT_ALLOWED'],
  ['payer_declined', 'APPROVAL_REJECTED', 'REJECTED', 'PAYMENT_NOT_APPROVED', 'TRANSACTION_CANCELED'],
  ['approval_timeout', 'EXPIRED', 'COULD_NOT_PERFORM_TRANSACTION'],
  ['payer_not_found', 'PAYER_NOT_FOUND'],
  ['payer_inactive', 'SENDER_ACCOUNT_NOT_ACTIVE'],
  ['limit_reached', 'PAYER_LIMIT_REACHED'],
  ['payee_refused', 'PAYEE_NOT_ALLOWED_TO_RECEIVE', 'PAYEE_LIMIT_REACHED', 'PAYEE_NOT_FOUND'],
  ['rail_misconfigured', 'NOT_ALLOWED', 'NOT_ALLOWED_TARGET_ENVIRONMENT', 'INVALID_CALLBACK_URL_HOST'],
  ['rail_misconfigured', 'INVALID_CURRENCY', 'VALIDATION_ERROR'],
  ['rail_processing_error', 'INTERNAL_PROCESSING_ERROR'],
  ['rail_unavailable', 'SERVICE_UNAVAILABLE'],
  ['declined', 'TRANSFER_TYPE_UNKNOWN', 'A_CODE_OF_NEXT_YEAR'],
]
const pairs = endings.flatMap(([code, ...railCodes]) =>
  railCodes.map((railCode) => [railCode, code] as const),
)

const statusSays = (body: object): FaultInput => ({
  operation: 'status',
  kind: 'http',
  status: 200,
  body: JSON.stringify({ amount: '5000', currency: 'XAF', ...body }),
})

async function confirmedAtMtn(): Promise<string> {
  const { id } = await createIntent(api)
  expect(await api.call(confirmCall(id, 'waitsForThePayer'))).toMatchObject({ status: 200 })
  return id
}

describe('MTN fails a live request to pay with', () => {
  test.each(pairs)('%s: %s', async (railCode, code) => {
    const id = await confirmedAtMtn()
    await api.mock.control.addFault(statusSays({ status: 'FAILED', reason: railCode }))
    await settle(api)
    expect(await refusalOf(id)).toEqual(refused(PUSH_RAIL, code, railCode))
  })

  test.each(pairs)('%s in an object, with its own message: %s', async (railCode, code) => {
    const id = await confirmedAtMtn()
    const reason = { code: railCode, message: 'In the operator’s words' }
    await api.mock.control.addFault(statusSays({ status: 'FAILED', reason }))
    await settle(api)
    expect(await refusalOf(id)).toEqual(refused(PUSH_RAIL, code, railCode, reason.message))
  })

  test('no reason: declined', async () => {
    const id = await confirmedAtMtn()
    await api.mock.control.addFault(statusSays({ status: 'FAILED' }))
    await settle(api)
    expect(await refusalOf(id)).toEqual(refused(PUSH_RAIL, 'declined', null))
  })

  test.each(['ONGOING', 'PENDING', 'DELAYED', 'PAYER_DELAYED', 'PAYEE_DELAYED'])(
    '%s, which is not final: it still waits',
    async (reason) => {
      const id = await confirmedAtMtn()
      await api.mock.control.addFault(statusSays({ status: 'FAILED', reason }))
      await settle(api)
      expect(shown((await readIntent(api, id)).body)).toEqual(waiting)
    },
  )
})

/** Codes that refuse before a request is live. The others prove nothing with a 5xx. */
const proveNothing = new Set<DeclineCode>([
  'payer_declined',
  'approval_timeout',
  'rail_processing_error',
  'rail_unavailable',
  'declined',
])

describe('MTN answers a submit with 500 and', () => {
  test.each(pairs)('%s (%s as an ending)', async (railCode, code) => {
    const { id } = await createIntent(api)
    const body = JSON.stringify({ code: railCode, message: 'In the operator’s words' })
    await api.mock.control.addFault({ operation: 'submit', kind: 'http', status: 500, body })
    const { status } = await api.call(confirmCall(id, 'waitsForThePayer'))
    if (proveNothing.has(code)) {
      expect(status).toBe(502)
      expect((await readIntent(api, id)).body.last_payment_error).toBeNull()
    } else {
      expect(status).toBe(200)
      expect(await refusalOf(id)).toEqual(refused(PUSH_RAIL, code, railCode, 'In the operator’s words'))
    }
  })
})

test.each([
  ['400 without a word', 400, null, null],
  ['400 and INVALID_CURRENCY', 400, 'INVALID_CURRENCY', 'Currency not supported.'],
  ['403 and FORBIDDEN IP', 403, 'FORBIDDEN IP', 'Authorization failed: the IP is not authorized.'],
])('MTN refuses a submit with %s: rail_misconfigured', async (_, status, railCode, message) => {
  const { id } = await createIntent(api)
  const body = railCode === null ? {} : { body: JSON.stringify({ code: railCode, message }) }
  await api.mock.control.addFault({ operation: 'submit', kind: 'http', status, ...body })
  expect((await api.call(confirmCall(id, 'waitsForThePayer'))).status).toBe(200)
  expect(await refusalOf(id)).toEqual(refused(PUSH_RAIL, 'rail_misconfigured', railCode, message))
})

test('a duplicate submit at MTN is our own, and waits for its payer', async () => {
  const { id } = await createIntent(api)
  await api.mock.control.addFault({ operation: 'submit', kind: 'resent' })
  const { status, body } = await api.call(confirmCall(id, 'waitsForThePayer'))
  expect([status, shown(body)]).toEqual([200, waiting])
  expect(await api.mock.control.listCalls({ operation: 'submit', limit: 1 })).toMatchObject([
    { status: 409, fault: 'resent' },
  ])
  await settle(api)
  expect(shown((await readIntent(api, id)).body)).toEqual(waiting)
})

test('a submit that never reached MTN: not_accepted, after its wallet has denied it long enough', async () => {
  const { id } = await createIntent(api)
  expect((await api.call(confirmCall(id, 'resetUnaccepted'))).status).toBe(502)
  for (let passes = 0; passes < 4; passes += 1) await settle(api)
  expect(await refusalOf(id)).toEqual(refused(PUSH_RAIL, 'not_accepted', null))
})

describe('Orange', () => {
  test.each<[number, DeclineCode, string]>([
    [10_451, 'declined', 'FAILED'],
    [10_452, 'redirect_expired', 'EXPIRED'],
    [10_471, 'declined', 'FAILED'],
  ])('ends an order of %d: %s', async (amount, code, word) => {
    const id = await createAtOrange(api, amount)
    expect((await confirmAtOrange(api, id)).body.status).toBe('processing')
    await settle(api)
    expect(await refusalOf(id)).toEqual(refused(ORANGE_RAIL, code, word))
  })

  test('reports an order as used: no payer got its page, and another confirm creates a new order', async () => {
    const id = await createAtOrange(api)
    await api.mock.control.addFault({ operation: 'orange_submit', kind: 'resent' })
    expect((await confirmAtOrange(api, id)).status).toBe(502)
    expect((await confirmAtOrange(api, id)).body.status).toBe('processing')
  })

  test.each([
    [400, '23', 'Missing body field'],
    [403, '50', 'Access denied'],
    [404, '60', 'Resource not found'],
  ])('refuses an order with %d: rail_misconfigured', async (status, code, message) => {
    const id = await createAtOrange(api)
    const body = JSON.stringify({ code: Number(code), message, description: 'of the operator' })
    await api.mock.control.addFault({ operation: 'orange_submit', kind: 'http', status, body })
    expect((await confirmAtOrange(api, id)).status).toBe(200)
    expect(await refusalOf(id)).toEqual(refused(ORANGE_RAIL, 'rail_misconfigured', code, message))
  })
})
