import { randomInt } from 'node:crypto'
import { CHARGE_SCENARIOS, ORANGE_SCENARIOS } from '@merchant-payments/mock-rails'
import { findViolations, type JournalEntry } from '@merchant-payments/testing/invariants'
import { findRailViolations } from '@merchant-payments/testing/rail-truth'
import { createRandom, type Random } from '@merchant-payments/testing/random'
import { nextFault } from '@merchant-payments/testing/weather'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { fanOutAll } from './fan-out.ts'
import { PUSH_RAIL, settle, startTestApi, type TestApi } from './harness.ts'
import { ORANGE_RAIL, withMockOrange } from './mock-orange.ts'

/** `RANDOM_PAYMENTS=50000 RANDOM_SEED=7` makes a larger run, or one again. */
const PAYMENTS = Number(process.env['RANDOM_PAYMENTS'] ?? 1_500)
const SEED = Number(process.env['RANDOM_SEED'] ?? randomInt(2 ** 31))
const BUYERS = 32
/** Long enough for a busy machine, short enough for rails that hang. */
const RAIL_TIMEOUT_MS = 1_000

/** Far less than a request to a rail may take of the service's time before the worker takes it for lost. */
const TICK_MS = 1_500
const DRAIN_STEP_MS = 60_000
/** Pages that nobody was given expire without us. */
const PAGE_LIFE_MS = 10 * 60_000
/** Past the longest approval window and the last late success, by far. */
const DRAIN_STEPS_MAX = 60
/** A charge that failed is asked for until this rung, two minutes after, before the run is judged. */
const WATCHED_RUNG = 4

/** Endings that never end, or that an operator must look at: each has a test of its own. */
const endless = new Set(['454', '475', '481', '494', '497'])
const endingsOf = (scenarios: readonly { readonly suffix: string }[]): string[] =>
  scenarios.map(({ suffix }) => suffix).filter((suffix) => suffix !== 'other' && !endless.has(suffix))
const mtnEndings = endingsOf(CHARGE_SCENARIOS)
// An amount could also choose a payer who comes by itself, even where nobody was given the page: no such payer exists.
const orderEndings = endingsOf(ORANGE_SCENARIOS.filter(({ onlyByAmount }) => onlyByAmount))
const payerEndings = endingsOf(ORANGE_SCENARIOS.filter(({ onlyByAmount }) => !onlyByAmount))

let api: TestApi
const journal: JournalEntry[] = []

beforeAll(async () => {
  api = await withMockOrange(await startTestApi({ railTimeoutMs: RAIL_TIMEOUT_MS }), RAIL_TIMEOUT_MS)
})
afterAll(() => api.stop())

async function post(path: string, form: string, key: string) {
  const answer = await api.call({ method: 'POST', path, form, key })
  journal.push({
    merchant: 'acme',
    key,
    request: `POST ${path} ${form}`,
    status: answer.status,
    body: answer.text,
  })
  return answer
}

/** A shop and its payer, who do what people do: try again, in two windows, with the other operator, and give up. */
async function buy(random: Random, nth: number): Promise<void> {
  const { control } = api.mock
  const suffix = random.chance(0.2) ? random.pick(orderEndings) : '000'
  const amount = `${random.int(1, 90)}${suffix}`
  const form = `amount=${amount}&currency=XAF&payment_method_types[]=${PUSH_RAIL}&payment_method_types[]=${ORANGE_RAIL}`
  const { body } = await post('/v1/payment_intents', form, `${nth}-create`)
  const path = `/v1/payment_intents/${body.id}`
  const cancel = (name: string) => post(`${path}/cancel`, '', `${nth}-cancel-${name}`)
  const tries = random.int(1, 3)
  for (let n = 0; n < tries; n += 1) {
    // The next request to either rail meets it, whoever sends that.
    if (random.chance(0.3)) await control.addFault(nextFault(random))
    const confirm = (form: string, key = `${nth}-${n}`) => post(`${path}/confirm`, form, key)
    const chosen = confirmForm(random)
    const windows = [confirm(chosen)]
    if (random.chance(0.1)) windows.push(confirm(chosen))
    if (random.chance(0.1)) windows.push(confirm(confirmForm(random), `${nth}-${n}-other`))
    if (random.chance(0.1)) windows.push(cancel(`while-${n}`))
    const answers = await Promise.all(windows)
    if (random.chance(0.5)) answers.push(await confirm(chosen))
    const page = answers.map((answer) => answer.body.next_action?.redirect_to_url.url).find(Boolean)
    if (page !== undefined) await visit(random, page)
    await ticks(random.int(0, 2))
  }
  if (random.chance(0.15)) await cancel('at-last')
}

function confirmForm(random: Random): string {
  if (random.chance(0.4)) return `payment_method_data[${ORANGE_RAIL}]=&return_url=https://shop.example/back`
  const ending = random.chance(0.4) ? '001' : random.pick(mtnEndings)
  return `payment_method_data[${PUSH_RAIL}][msisdn]=237670000${ending}`
}

/** A payer at the operator's page: pays, refuses, or leaves it to expire. */
async function visit(random: Random, page: string): Promise<void> {
  const decision = random.pick(['pay', 'pay', 'refuse', null])
  if (decision === null) return
  const ending = random.chance(0.5) ? '001' : random.pick(payerEndings)
  const body = new URLSearchParams({ msisdn: `690000${ending}`, otp: '1234', decision })
  await fetch(page, { method: 'POST', body, redirect: 'manual' })
}

let ticked = Promise.withResolvers<void>()
async function ticks(count: number): Promise<void> {
  for (let n = 0; n < count; n += 1) await ticked.promise
}

/** Time passes, and the weather changes, as long as the shops are open. */
async function blow(random: Random, isOpen: () => boolean): Promise<void> {
  const { control } = api.mock
  while (isOpen()) {
    if (random.chance(0.1)) await control.clearFaults()
    if (random.chance(0.1)) await control.revokeTokens()
    if (random.chance(0.1)) {
      const { mtn } = await control.getSettings()
      await control.updateSettings({
        mtn: {
          refusalsAt: mtn.refusalsAt === 'status' ? 'submit' : 'status',
          reasonShape: random.pick(['string', 'object']),
          autoApproveAfterMs: random.pick([0, 500, 5_000]),
        },
      })
    }
    await pass(TICK_MS)
    ticked.resolve()
    ticked = Promise.withResolvers()
  }
  ticked.resolve()
}

/** Two workers' passes, after a while of both clocks. */
async function pass(afterMs: number): Promise<void> {
  await api.mock.control.advanceClock(afterMs)
  await Promise.all([settle(api, afterMs), settle(api, 0)])
}

/** Until every charge has ended and every late success was found. */
async function drain(): Promise<void> {
  await api.mock.control.clearFaults()
  for (let steps = 0; steps < DRAIN_STEPS_MAX && (await countOpen()) > 0; steps += 1) {
    await pass(DRAIN_STEP_MS)
    while ((await settle(api, 0)).claimed > 0);
  }
  await api.mock.control.advanceClock(PAGE_LIFE_MS)
  await fanOutAll(api)
}

/** Charges that have not ended, and those that ended so lately that a success could still be on its way. */
async function countOpen(): Promise<number> {
  const rows = await api.db.reader.selectFrom('charges').select(['status', 'query_rung']).execute()
  const isOpen = { submitting: true, live: true, unconfirmed: true, succeeded: false, duplicate: false }
  return rows.filter(({ status, query_rung: rung }) =>
    status === 'failed' || status === 'abandoned' ? rung >= 1 && rung <= WATCHED_RUNG : isOpen[status],
  ).length
}

describe(`a random run of ${PAYMENTS} payments, RANDOM_SEED=${SEED}:`, () => {
  beforeAll(
    async () => {
      const random = createRandom(SEED)
      let left = PAYMENTS
      let open = BUYERS
      const buyer = async () => {
        for (let nth = left--; nth > 0; nth = left--) await buy(random.fork(nth), nth)
        open -= 1
      }
      await Promise.all([...Array.from({ length: BUYERS }, buyer), blow(random.fork(0), () => open > 0)])
      await drain()
    },
    60_000 + PAYMENTS * 200,
  )

  test('it saw what it claims to judge', async () => {
    const rows = await api.db.reader.selectFrom('charges').select(['status', 'rail']).execute()
    const seen = new Set(rows.map(({ status, rail }) => `${rail} ${status}`))
    const statuses = ['succeeded', 'failed', 'abandoned']
    expect([...seen]).toEqual(
      expect.arrayContaining(
        [PUSH_RAIL, ORANGE_RAIL].flatMap((rail) => statuses.map((status) => `${rail} ${status}`)),
      ),
    )
    expect(new Set(journal.map(({ status }) => status))).toEqual(new Set([200, 201, 400, 409, 502]))
  })

  test('the rails’ ledger is what the service says, and every invariant holds', async () => {
    const { debits, debitsDropped } = await api.mock.control.getLedger()
    expect(debitsDropped).toBe(0)
    const { databaseUrl } = api
    expect(
      await findViolations({ databaseUrl, debits, credits: [], journal, received: null, endpoints: 0 }),
    ).toEqual([])
  })

  test('each charge ended as its rail ended it, and none beside one that could still reach its payer', async () => {
    const charges = await api.mock.control.listCharges({ limit: 500_000 })
    expect(await findRailViolations(api.databaseUrl, charges)).toEqual([])
  })

  test('no order of a payment prompted twice: each reference was sent once', async () => {
    const prompts = await api.mock.control.listPrompts({ limit: 100_000 })
    const references = prompts.map(({ reference }) => reference)
    expect(references).toHaveLength(new Set(references).size)
  })
})
