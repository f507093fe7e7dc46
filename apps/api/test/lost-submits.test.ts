import { randomUUID } from 'node:crypto'
import type { FaultInput, Operation } from '@merchant-payments/mock-rails'
import { afterAll, afterEach, describe, expect, test } from 'vitest'
import { ORANGE_RAIL, PUSH_RAIL, settle, startTestApi } from './harness.ts'
import { createAtOrange, withMockOrange } from './mock-orange.ts'
import { chargeStatesOf } from './rows.ts'
import { createIntent, readIntent } from './steps.ts'

const RAIL_TIMEOUT_MS = 400
/** Passes of the worker until a wallet's missing charge is final. */
const PASSES = 4

const api = await withMockOrange(await startTestApi({ railTimeoutMs: RAIL_TIMEOUT_MS }), RAIL_TIMEOUT_MS)
afterEach(() => api.mock.control.clearFaults())
afterAll(() => api.stop())

/** Every fault of one request to a rail, which acted or did not, without proof for the service. */
const faultsOf = (operation: Operation): FaultInput[] => [
  ...(['before', 'after'] as const).flatMap((when): FaultInput[] => [
    { operation, kind: 'reset', when },
    { operation, kind: 'hang', when },
    ...[500, 502, 503, 504].map((status) => ({ operation, kind: 'http', when, status }) as const),
    { operation, kind: 'html', when },
  ]),
  { operation, kind: 'truncated' },
  { operation, kind: 'slow_drip', intervalMs: RAIL_TIMEOUT_MS },
  { operation, kind: 'resent' },
]
const named = (operation: Operation) =>
  faultsOf(operation).map(
    (fault) =>
      [
        [fault.kind, 'status' in fault ? fault.status : null, 'when' in fault ? fault.when : null]
          .filter(Boolean)
          .join(' '),
        fault,
      ] as const,
  )

const confirm = (id: string, form: string, key: string = randomUUID()) =>
  api.call({ path: `/v1/payment_intents/${id}/confirm`, form, key })

/** An impatient shop: repeats the request with its key, then sends it with a new one. */
async function insist(id: string, form: string) {
  const key = randomUUID()
  return [await confirm(id, form, key), await confirm(id, form, key), await confirm(id, form)]
}

let payers = 0

describe('MTN: a payer whose submit met', () => {
  test.each(named('submit'))(
    '%s is prompted once at most, whoever insists, and pays once',
    async (_, fault) => {
      const { control } = api.mock
      const { id } = await createIntent(api)
      // The payer is at the handset, and approves nothing before the end.
      const msisdn = `23767${`${(payers += 1)}`.padStart(4, '0')}000`
      const form = `payment_method_data[${PUSH_RAIL}][msisdn]=${msisdn}`
      const prompts = async () => (await control.listPrompts({ msisdn })).length
      await control.addFault(fault)

      await insist(id, form)
      await settle(api, RAIL_TIMEOUT_MS)
      await insist(id, form)
      expect(await prompts()).toBeLessThanOrEqual(1)
      expect(await chargeStatesOf(api, id)).toHaveLength(1)

      for (let passes = 0; passes < PASSES; passes += 1) await settle(api)
      await insist(id, form)
      expect(await prompts()).toBe(1)
      const [charge] = await control.listCharges({ msisdn })
      await control.approveCharge(charge?.reference ?? '')
      await settle(api)
      expect((await readIntent(api, id)).body.status).toBe('succeeded')
      expect((await control.getLedger()).debits.filter((debit) => debit.msisdn === msisdn)).toHaveLength(1)
    },
  )
})

describe('Orange: a payer whose order met', () => {
  const form = `payment_method_data[${ORANGE_RAIL}]=&return_url=https://shop.example/back`

  test.each(named('orange_submit'))('%s is sent to one page, and pays once', async (_, fault) => {
    const { control } = api.mock
    const before = (await control.getLedger()).debitCount
    const id = await createAtOrange(api)
    await control.addFault(fault)

    const answers = [...(await insist(id, form)), ...(await insist(id, form))]
    const pages = answers.flatMap(({ body }) => body.next_action?.redirect_to_url.url ?? [])
    expect(new Set(pages).size).toBe(1)

    const body = new URLSearchParams({ msisdn: '690000001', otp: '1234', decision: 'pay' })
    await fetch(pages[0] ?? '', { method: 'POST', body, redirect: 'manual' })
    await settle(api)
    expect((await readIntent(api, id)).body.status).toBe('succeeded')
    // Pages that no payer got expire.
    await control.advanceClock(11 * 60_000)
    expect((await control.getLedger()).debitCount).toBe(before + 1)
  })
})
