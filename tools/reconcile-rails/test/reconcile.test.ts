import { randomUUID } from 'node:crypto'
import {
  closeFinding,
  countOpenFindings,
  type MerchantId,
  type Msisdn,
  type Operator,
  type PaymentIntentId,
  type RailAdapter,
  type RailCode,
  type RefundId,
  type Sighting,
} from '@merchant-payments/core'
import { openTestDatabase } from '@merchant-payments/db/testing'
import { DEFAULT_SETTINGS, startMockRails } from '@merchant-payments/mock-rails'
import { createMtnMomo, createOrangeMoney } from '@merchant-payments/rails'
import { cloneDatabase } from '@merchant-payments/testing'
import { connect } from '@merchant-payments/testing/client'
import { afterAll, afterEach, describe, expect, test } from 'vitest'
import { reconcile } from '../src/reconcile.ts'

const MTN = 'mtn_momo_cm' as RailCode
const ORANGE = 'orange_money_cm' as RailCode
const APPROVES = '237670000001' as Msisdn
/** Waits for a person on the handset page. */
const WAITS = '237670000000' as Msisdn
const REFUSES = '237670000470' as Msisdn
const merchantId = 'shop' as MerchantId
const PER_SECOND = 20

const mock = await startMockRails({ settings: { mtn: { autoApproveAfterMs: 0 } } })
const mtn = openMtn()
const rails = new Map([
  [MTN, mtn],
  [ORANGE, openOrange()],
])
const database = await cloneDatabase()
const db = openTestDatabase(database.appUrl, { poolSize: 2 })
const owner = await connect(database.url)
afterEach(async () => {
  await mock.control.clearFaults()
})

afterAll(async () => {
  await Promise.all([...rails.values()].map((rail) => rail.close()))
  await Promise.all([db.close(), owner.end()])
  await Promise.all([database.drop(), mock.stop()])
})

function openMtn(): RailAdapter {
  const { apiUser, apiKey, collectionSubscriptionKeys, disbursementSubscriptionKeys } = DEFAULT_SETTINGS.mtn
  const product = ([primary = '', secondary]: readonly string[]) =>
    ({ apiUser, apiKey, subscriptionKeys: [primary, secondary] }) as const
  return createMtnMomo({
    code: MTN,
    displayName: 'MTN Mobile Money',
    adapter: 'mtn_momo',
    settlementCurrency: 'XAF',
    wireCurrency: 'XAF',
    baseUrl: mock.wireUrl,
    targetEnvironment: DEFAULT_SETTINGS.mtn.targetEnvironment,
    collection: product(collectionSubscriptionKeys),
    disbursement: product(disbursementSubscriptionKeys),
    clock: Date.now,
  })
}

function openOrange(): RailAdapter {
  return createOrangeMoney({
    code: ORANGE,
    displayName: 'Orange Money',
    adapter: 'orange_money',
    settlementCurrency: 'XAF',
    baseUrl: mock.wireUrl,
    country: 'cm',
    merchantKey: DEFAULT_SETTINGS.orange.merchantKey,
    clientId: DEFAULT_SETTINGS.orange.clientId,
    clientSecret: DEFAULT_SETTINGS.orange.clientSecret,
    lang: 'fr',
    clock: Date.now,
  })
}

/** A charge that the rail has and the database has not, as after a restore. */
async function charged(payer: Msisdn): Promise<Sighting> {
  const reference = mtn.mintReference()
  const object = 'pi_01a1fd77072f77d09897bd720fc50212' as PaymentIntentId
  const outcome = await mtn.submitCharge({
    reference,
    merchantId,
    object,
    amountMinor: 2_500,
    currency: 'XAF',
    payer,
    locale: 'fr',
    callbackUrl: null,
    returnUrl: null,
    deadlineMs: Date.now() + 60_000,
  })
  expect(outcome.kind).toBe('accepted')
  return { ...logged(reference), object }
}

async function paidOut(amountMinor: number): Promise<Sighting> {
  const reference = mtn.mintReference()
  const object = 're_01a1fd77072f77d09897bd720fc50212' as RefundId
  const outcome = await mtn.refunds?.submitRefund({
    reference,
    merchantId,
    object,
    amountMinor,
    currency: 'XAF',
    destination: APPROVES,
    deadlineMs: Date.now() + 60_000,
  })
  expect(outcome?.kind).toBe('accepted')
  return { ...logged(reference), kind: 'payout', object }
}

const logged = (reference: string): Sighting => ({
  rail: MTN,
  kind: 'charge',
  reference,
  source: 'log',
  merchant: merchantId,
  object: null,
  amountMinor: null,
  currency: null,
})

const mintOrderId = () => rails.get(ORANGE)?.mintReference() ?? ''

const stated = (reference: string, more: Partial<Sighting> = {}): Sighting => ({
  ...logged(reference),
  source: 'statement',
  merchant: null,
  ...more,
})

let runs = 0
const operator = (): Operator => ({ name: 'amina', reason: 'Restored.', requestId: `run-${++runs}` })

async function run(sightings: readonly Sighting[], by: Operator | null = operator()) {
  const said: string[] = []
  const say = (line: string) => void said.push(line)
  const report = await reconcile(
    { db, rails, clock: Date.now, perSecond: PER_SECOND, operator: by, say },
    sightings,
  )
  return { ...report, said }
}

const findingOf = async ({ reference }: Sighting) => {
  const { rows } = await owner.query<Record<string, unknown>>(
    `select kind, answer, amount::integer, currency, source, merchant_id, object, revision, closed_by from rail_findings
      where reference = $1`,
    [reference],
  )
  expect(rows.length).toBeLessThan(2)
  return rows[0]
}

const entriesOf = async ({ rail, reference }: Sighting) => {
  const { rows } = await owner.query<Record<string, unknown>>(
    `select action, actor_subject, merchant_id, reason, before, after from audit_entries where target = $1 order by id`,
    [`${rail}:${reference}`],
  )
  return rows
}

const statusQueries = async () => {
  const calls = await mock.control.listCalls({ limit: 1_000 })
  return calls.filter(({ operation }) => operation.endsWith('status')).length
}

const settledAt = (sighting: Sighting, state: string) =>
  expect
    .poll(async () => (await mock.control.findCharge(sighting.reference))?.state, { interval: 20 })
    .toBe(state)

describe('money that moved under a reference that the database does not have', () => {
  test('is found and recorded with an audit entry: a charge', async () => {
    const charge = await charged(APPROVES)
    await settledAt(charge, 'SUCCESSFUL')
    const { said, ...report } = await run([charge])
    expect(report).toMatchObject({ known: 0, asked: 1, unavailable: 0, recorded: 1 })
    expect(said).toEqual([
      expect.stringMatching(
        new RegExp(
          `^${MTN} charge ${charge.reference}: succeeded, 2500 XAF, transaction \\d+, ${charge.object} of shop, recorded as au_`,
        ),
      ),
    ])
    const found = { kind: 'charge', answer: 'succeeded', amount: 2_500, currency: 'XAF', source: 'log' }
    expect(await findingOf(charge)).toEqual({
      ...found,
      merchant_id: 'shop',
      object: charge.object,
      revision: 1,
      closed_by: null,
    })
    expect(await entriesOf(charge)).toEqual([
      {
        action: 'rail_finding.record',
        actor_subject: 'operator:amina',
        merchant_id: 'shop',
        reason: 'Restored.',
        before: { answer: null },
        after: { ...found, transaction: expect.stringMatching(/^\d+$/) as unknown, object: charge.object },
      },
    ])
  })

  test('is found and recorded with an audit entry: a payout', async () => {
    const payout = await paidOut(700)
    await expect
      .poll(async () => (await mock.control.findTransfer(payout.reference))?.state)
      .toBe('SUCCESSFUL')
    expect(await run([payout])).toMatchObject({ asked: 1, recorded: 1 })
    expect(await findingOf(payout)).toMatchObject({ kind: 'payout', answer: 'succeeded', amount: 700 })
    expect(await entriesOf(payout)).toHaveLength(1)
  })

  test('is not asked about again, and nothing is written twice', async () => {
    const [charge, payout] = [await charged(APPROVES), await paidOut(700)]
    await settledAt(charge, 'SUCCESSFUL')
    expect(await run([charge, payout])).toMatchObject({ asked: 2, recorded: 2 })
    const before = await statusQueries()
    expect(await run([charge, payout])).toMatchObject({ asked: 0, recordedBefore: 2, recorded: 0, said: [] })
    expect(await statusQueries()).toBe(before)
    expect([await entriesOf(charge), await entriesOf(payout)].map(({ length }) => length)).toEqual([1, 1])
  })

  test('is recorded once by two runs at the same time', async () => {
    const charge = await charged(APPROVES)
    await settledAt(charge, 'SUCCESSFUL')
    const both = await Promise.all([run([charge]), run([charge])])
    expect(both.map(({ recorded }) => recorded).toSorted((a, b) => a - b)).toEqual([0, 1])
    expect(await entriesOf(charge)).toHaveLength(1)
  })
})

describe('a dry run', () => {
  test('asks the rail and writes nothing', async () => {
    const charge = await charged(APPROVES)
    await settledAt(charge, 'SUCCESSFUL')
    const { said, ...report } = await run([charge], null)
    expect(report).toMatchObject({ asked: 1, recorded: 0, entry: null })
    expect(said[0]).toContain(': succeeded, 2500 XAF')
    expect([await findingOf(charge), await entriesOf(charge)]).toEqual([undefined, []])
  })
})

/** A row without the rows to which it belongs. */
async function insert(statement: string, values: readonly unknown[]) {
  await owner.query('set session_replication_role = replica')
  await owner.query(statement, [...values])
  await owner.query('set session_replication_role = origin')
}

describe('a reference that the database has', () => {
  const insertions = {
    charge: `insert into charges (merchant_id, id, payment_intent_id, rail, status, amount, currency, reference, opened_at,
      submit_deadline) values ('shop', $1, $1, '${MTN}', 'live', 5, 'XAF', $2, now(), now())`,
    refund: `insert into refunds (merchant_id, id, payment_intent_id, rail, status, amount, currency, reference, opened_at,
      submit_deadline, metadata, livemode, instruction)
      values ('shop', $1, $1, '${MTN}', 'pending', 5, 'XAF', $2, now(), now(), '{}', false, 'accepted')`,
    return: `insert into charge_returns (merchant_id, id, charge_id, payment_intent_id, rail, amount, currency, reference,
      opened_at, submit_deadline, instruction)
      values ('shop', $1, $1, $1, '${MTN}', 5, 'XAF', $2, now(), now(), 'accepted')`,
  }

  test.each([
    ['charge', 'charge'],
    ['refund', 'payout'],
    ['return', 'payout'],
  ] as const)('is left to the worker: a %s', async (name, kind) => {
    const reference = randomUUID()
    await insert(insertions[name], [randomUUID(), reference])
    const before = await statusQueries()
    expect(await run([stated(reference, { kind })])).toMatchObject({ known: 1, asked: 0, recorded: 0 })
    expect(await statusQueries()).toBe(before)
  })
})

describe('an answer that moved no money', () => {
  test('is not recorded if only a log line names the reference', async () => {
    const refused = await charged(REFUSES)
    await settledAt(refused, 'FAILED')
    const unknown = logged(randomUUID())
    const { said, recorded } = await run([refused, unknown])
    expect(recorded).toBe(0)
    expect(said.map((line) => line.replace(/^.*?: /, '')).toSorted()).toEqual(
      [`failed, ${refused.object} of shop`, 'not_found, of shop'].toSorted(),
    )
    expect([await findingOf(refused), await findingOf(unknown)]).toEqual([undefined, undefined])
  })

  test('is recorded if the operator’s statement lists the reference: the books disagree', async () => {
    const charge = stated(randomUUID(), { amountMinor: 900, currency: 'XAF' })
    expect(await run([charge])).toMatchObject({ recorded: 1 })
    expect(await findingOf(charge)).toMatchObject({ answer: 'not_found', amount: 900, source: 'statement' })
  })
})

test('a charge that is pending is asked about again, and its end replaces the answer', async () => {
  const charge = await charged(WAITS)
  expect(await run([charge])).toMatchObject({ recorded: 1 })
  expect(await run([charge])).toMatchObject({ asked: 1, recorded: 0 })
  expect(await findingOf(charge)).toMatchObject({ answer: 'pending', amount: null, revision: 1 })
  await mock.control.approveCharge(charge.reference)
  expect(await run([charge])).toMatchObject({ asked: 1, recorded: 1 })
  expect(await findingOf(charge)).toMatchObject({ answer: 'succeeded', amount: 2_500, revision: 2 })
  expect((await entriesOf(charge)).map(({ before }) => before)).toEqual([
    { answer: null },
    { answer: 'pending' },
  ])
})

test('a rail that does not answer leaves nothing behind, and the next run asks again', async () => {
  const charge = await charged(APPROVES)
  await settledAt(charge, 'SUCCESSFUL')
  await mock.control.addFault({ operation: 'status', kind: 'http', status: 503 })
  const first = await run([charge])
  expect(first).toMatchObject({ asked: 0, unavailable: 1, recorded: 0 })
  expect(first.said).toEqual([`${MTN} charge ${charge.reference}: the rail did not answer`])
  expect(await run([charge])).toMatchObject({ asked: 1, unavailable: 0, recorded: 1 })
})

describe('a rail that answers for no reference alone', () => {
  const saveOrder = async (status: string, token: string | null) => {
    const reference = mintOrderId()
    await insert(
      `insert into charges (merchant_id, id, payment_intent_id, rail, status, amount, currency, reference, opened_at,
        submit_deadline, rail_token) values ('shop', $1, $1, '${ORANGE}', $2, 4000, 'XAF', $3, now(), now(), $4)`,
      [randomUUID(), status, reference, token],
    )
    return stated(reference, { rail: ORANGE, amountMinor: 4_000, currency: 'XAF' })
  }

  test.each(['submitting', 'unconfirmed', 'abandoned', 'failed'])(
    'has paid a charge that is %s here without a token: its statement is recorded, and a log line alone is not',
    async (status) => {
      const charge = await saveOrder(status, null)
      expect(await run([{ ...charge, source: 'log' }])).toMatchObject({ known: 0, unasked: 1, recorded: 0 })
      expect(await run([charge])).toMatchObject({ known: 0, unasked: 1, recorded: 1 })
      expect(await findingOf(charge)).toMatchObject({ answer: 'unasked', amount: 4_000 })
    },
  )

  test.each([
    ['live', 'its-token'],
    ['succeeded', null],
  ])('has a charge that is %s here: it is known', async (status, token) => {
    expect(await run([await saveOrder(status, token)])).toMatchObject({ known: 1, unasked: 0, recorded: 0 })
  })

  test('is not asked: what its statement lists is recorded, and not twice', async () => {
    const charge = stated(mintOrderId(), {
      rail: ORANGE,
      amountMinor: 4_000,
      currency: 'XAF',
    })
    expect(await run([charge])).toMatchObject({ asked: 0, unasked: 1, recorded: 1 })
    expect(await findingOf(charge)).toMatchObject({ answer: 'unasked', amount: 4_000, merchant_id: null })
    expect(await run([charge])).toMatchObject({ asked: 0, recordedBefore: 1, recorded: 0 })
    expect(await mock.control.listCalls({ operation: 'orange_status' })).toEqual([])
  })

  test('leaves references that only log lines name to the statement', async () => {
    const charge = { ...logged(mintOrderId()), rail: ORANGE }
    const payout = { ...logged(mintOrderId()), rail: ORANGE, kind: 'payout' } as const
    expect(await run([charge, payout])).toMatchObject({ unasked: 2, recorded: 0 })
  })
})

describe('a finding', () => {
  test('is closed by an operator once, with an audit entry, and opened by a new answer', async () => {
    const charge = await charged(WAITS)
    await run([charge])
    const close = () =>
      closeFinding({ db, clock: Date.now }, charge, {
        ...operator(),
        reason: 'The payer got it back from the operator.',
      })
    expect(await close()).toMatch(/^au_/)
    expect(await findingOf(charge)).toMatchObject({ closed_by: 'amina' })
    expect(await close()).toBeNull()
    expect((await entriesOf(charge)).slice(1)).toEqual([
      {
        action: 'rail_finding.close',
        actor_subject: 'operator:amina',
        merchant_id: 'shop',
        reason: 'The payer got it back from the operator.',
        before: { kind: 'charge', answer: 'pending', open: true },
        after: { kind: 'charge', answer: 'pending', open: false },
      },
    ])
    await mock.control.approveCharge(charge.reference)
    await run([charge])
    expect(await findingOf(charge)).toMatchObject({ answer: 'succeeded', closed_by: null })
  })

  test('is counted by its rail while it is open', async () => {
    const before = (await countOpenFindings(db.reader)).get(ORANGE) ?? 0
    const charges = [mintOrderId(), mintOrderId()].map((reference) => stated(reference, { rail: ORANGE }))
    await run(charges)
    expect((await countOpenFindings(db.reader)).get(ORANGE)).toBe(before + 2)
    for (const charge of charges) await closeFinding({ db, clock: Date.now }, charge, operator())
    expect((await countOpenFindings(db.reader)).get(ORANGE) ?? 0).toBe(before)
  })

  test('cannot be removed by the service', async () => {
    const { rows } = await owner.query<{ may: boolean }>(
      `select has_table_privilege('merchant_payments_app', 'rail_findings', 'delete') as may`,
    )
    expect(rows).toEqual([{ may: false }])
  })
})
