import type { ChargeView } from '@merchant-payments/mock-rails'
import { findViolations } from '@merchant-payments/testing/invariants'
import { findRailViolations } from '@merchant-payments/testing/rail-truth'
import { createRandom } from '@merchant-payments/testing/random'
import { soakOf } from '@merchant-payments/testing/soaks'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ORANGE_RAIL, PUSH_RAIL, type TestApi } from './harness.ts'
import { drain, type Rest } from './random/drain.ts'
import { openRun, type Run } from './random/run.ts'
import { openShops } from './random/shops.ts'
import { createTime } from './random/time.ts'

/** `RANDOM_PAYMENTS=50000 RANDOM_SEED=7` makes a larger run, or one again. */
const { size: PAYMENTS, seed: SEED, isFull } = soakOf('randomPayments')
/** Endings of the mock that may be missing on a machine so slow that most payers time out. */
const UNSEEN_MAX = 4

const random = createRandom(SEED)
let run: Run
let rest: Rest
let atRails: ChargeView[]
let callbacks: ReadonlySet<string>

beforeAll(async () => {
  run = await openRun(random.fork(-1))
})
afterAll(() => run.api.stop())

/** Rail, method and answer of each callback, or the rail and the reason why there was none. */
async function callbacksOf({ mock: { control } }: TestApi): Promise<ReadonlySet<string>> {
  const callbacks = await control.listCallbacks({ limit: 5_000 })
  return new Set(
    callbacks.map(({ rail, method, status, outcome }) =>
      status === null ? `${rail} ${outcome}` : `${rail} ${method} ${status}`,
    ),
  )
}

describe(`a random run of ${PAYMENTS} payments, RANDOM_SEED=${SEED}:`, () => {
  beforeAll(
    async () => {
      const time = createTime(run)
      await time.passWhile(random.fork(0), openShops(run, time, random, PAYMENTS))
      rest = await drain(run, random.fork(-2))
      callbacks = await callbacksOf(run.api)
      atRails = await run.api.mock.control.listCharges({ limit: 500_000 })
    },
    60_000 + PAYMENTS * 200,
  )

  describe.runIf(isFull)('it covers what it claims to check:', () => {
    test('every ending of a charge, and every answer to a request', async () => {
      const rows = await run.api.db.reader.selectFrom('charges').select(['status', 'rail']).execute()
      const seen = new Set(rows.map(({ status, rail }) => `${rail} ${status}`))
      const ends = ['succeeded', 'failed', 'abandoned']
      const expected = [PUSH_RAIL, ORANGE_RAIL].flatMap((rail) => ends.map((status) => `${rail} ${status}`))
      expect([...seen]).toEqual(expect.arrayContaining(expected))
      expect(rows.some(({ status }) => status === 'duplicate')).toBe(true)
      expect(new Set(run.journal.map(({ status }) => status))).toEqual(
        new Set([200, 201, 400, 409, 500, 502]),
      )
    })

    test('every fault, nearly every ending, and every kind of callback', () => {
      const { mtn, orders, orange } = run.payers
      // 484 is never accepted, so the rail has no charge of it.
      const endings = [...mtn, ...orders, ...orange, 'other'].filter((ending) => ending !== '484')
      expect(run.faultsMet).toEqual(
        new Set(['http', 'delay', 'reset', 'hang', 'html', 'throttled', 'truncated', 'slow_drip', 'resent']),
      )
      const seen = new Set(atRails.map(({ scenario }) => scenario))
      expect(endings.filter((ending) => !seen.has(ending)).length).toBeLessThanOrEqual(UNSEEN_MAX)
      expect([...callbacks]).toEqual(
        expect.arrayContaining([
          ...['PUT 200', 'POST 200', 'PATCH 405', 'suppressed'].map((one) => `mtn ${one}`),
          ...['POST 200', 'suppressed'].map((one) => `orange ${one}`),
        ]),
      )
      expect([rest.decided.size > 0, rest.ruled.size > 0]).toEqual([true, true])
    })
  })

  test('the rails’ ledger equals the service’s records, and every invariant holds', async () => {
    const { api, journal } = run
    const { debits, debitsDropped } = await api.mock.control.getLedger()
    expect(debitsDropped).toBe(0)
    const asked = new Map(atRails.map(({ reference, amount }) => [reference, amount]))
    // An operator has ruled these as paid, whatever the amount was.
    const due = debits.map((debit) => ({
      ...debit,
      amount: (rest.ruled.has(debit.reference) && asked.get(debit.reference)) || debit.amount,
    }))
    const evidence = { databaseUrl: api.databaseUrl, debits: due, credits: [], journal }
    expect(await findViolations({ ...evidence, received: null, endpoints: 0 })).toEqual([])
  })

  test('charges that never settled were paid with another amount', () => {
    const wrong = atRails.filter(({ amount, movedAmount }) => movedAmount !== null && movedAmount !== amount)
    expect(rest.ruled).toEqual(new Set(wrong.map(({ reference }) => reference)))
  })

  test('each charge ended as at its rail, and none was open beside another that could still reach its payer', async () => {
    expect(await findRailViolations(run.api.databaseUrl, atRails)).toEqual([])
  })

  test('each reference was sent once, so none prompted twice', async () => {
    const prompts = await run.api.mock.control.listPrompts({ limit: 100_000 })
    const references = prompts.map(({ reference }) => reference)
    expect(references).toHaveLength(new Set(references).size)
  })
})
