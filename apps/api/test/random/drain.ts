import { ruleSucceeded } from '@merchant-payments/testing/operator'
import type { Random } from '@merchant-payments/testing/random'
import { fanOutAll } from '../fan-out.ts'
import { settle, type TestApi } from '../harness.ts'
import type { Run } from './run.ts'

const STEP_MS = 60_000
/** Above the longest approval window and the last late success. A charge that is open then never ends by itself. */
const STEPS = 20
/** Pages that no payer got expire by themselves. */
const PAGE_LIFE_MS = 10 * 60_000
/** The rung, two minutes later, up to which a failed charge is queried before the run is checked. */
const WATCHED_RUNG = 4
/** The mock's endings that never end. */
const endless = new Set(['454', '475', '494', '497'])

/** Charges that did not end by themselves after the faults stopped. */
export interface Rest {
  /** References of charges that their rails kept open until a person decided. */
  readonly decided: ReadonlySet<string>
  /** References of charges that their rails say were paid with another amount, until an operator ruled. */
  readonly ruled: ReadonlySet<string>
}

/** Runs until every charge has ended and every late success was found. */
export async function drain({ api, deaths }: Run, random: Random): Promise<Rest> {
  deaths.end()
  await api.mock.control.clearFaults()
  await steps(api)
  const decided = await decideEndless(api, random)
  await steps(api)
  const ruled = await openCharges(api)
  await ruleSucceeded(api.databaseUrl, ruled.keys())
  await steps(api)
  await api.mock.control.advanceClock(PAGE_LIFE_MS)
  await fanOutAll(api)
  return { decided, ruled: new Set(ruled.values()) }
}

async function steps(api: TestApi): Promise<void> {
  for (let n = 0; n < STEPS && (await openCharges(api)).size > 0; n += 1) {
    await api.mock.control.advanceClock(STEP_MS)
    api.advance(STEP_MS)
    while ((await settle(api, 0)).claimed > 0);
  }
}

/** References, by id, of charges that have not ended, or so lately that a success could still be on its way. */
async function openCharges(api: TestApi): Promise<ReadonlyMap<string, string>> {
  const rows = await api.db.reader
    .selectFrom('charges')
    .leftJoin('charge_jobs', 'charge_id', 'id')
    .select(['id', 'reference', 'status', 'rung'])
    .execute()
  const isOpen = { submitting: true, live: true, unconfirmed: true, succeeded: false, duplicate: false }
  const open = rows.filter(({ status, rung }) =>
    status === 'failed' || status === 'abandoned' ? rung !== null && rung <= WATCHED_RUNG : isOpen[status],
  )
  return new Map(open.map(({ id, reference }) => [id, reference]))
}

/** Payers return to open pages; unopened pages expire. */
async function decideEndless(api: TestApi, random: Random): Promise<ReadonlySet<string>> {
  const { control } = api.mock
  const charges = await control.listCharges({ limit: 500_000 })
  const waiting = charges.filter(
    ({ scenario, state }) => endless.has(scenario) && (state === 'PENDING' || state === 'INITIATED'),
  )
  for (const { reference, state } of waiting) {
    if (state === 'INITIATED') await control.expireCharge(reference)
    else if (random.chance(0.5)) await control.approveCharge(reference)
    else await control.refuseCharge(reference)
  }
  return new Set(waiting.map(({ reference }) => reference))
}
