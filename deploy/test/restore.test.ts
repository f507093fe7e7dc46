import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createMerchantPayments } from '@merchant-payments/node-sdk'
import { type Postgres, startPostgres } from '@merchant-payments/postgres'
import { type Stack, startStack } from '@merchant-payments/stack'
import { runStatement } from '@merchant-payments/testing/client'
import { findViolations } from '@merchant-payments/testing/invariants'
import { countPending, pullPayoutsForward } from '@merchant-payments/testing/pending'
import { expect, onTestFinished, test } from 'vitest'
import { archiveAll, copyBase, openSite, restoreTo, resume, type Site } from './point-in-time.ts'

const APPROVES = '237670000001'
/** Waits for a person on the handset page. */
const WAITS = '237670000000'
const AMOUNT = 2_500
/** How long the redirect rail's answer to a submit is under way while the time of the restore is noted. */
const ANSWER_MS = 5_000
/** Twenty payments, three starts of PostgreSQL, three of the service and twelve commands, on a busy machine. */
const DRILL_MS = 180_000

const scriptOf = (path: string) => fileURLToPath(new URL(`../../tools/${path}/src/`, import.meta.url))
const reconcileRails = join(scriptOf('reconcile-rails'), 'main.ts')
const findingClose = join(scriptOf('reconcile-rails'), 'close.ts')
const restoreVerify = join(scriptOf('database'), 'restore-verify.ts')
const restoreHold = join(scriptOf('database'), 'restore-hold.ts')

interface Ran {
  readonly code: number
  readonly output: string
}

const run = (script: string, args: readonly string[], env: Record<string, string>): Promise<Ran> =>
  new Promise((resolve) => {
    execFile(process.execPath, [script, ...args], { env }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code), output: stdout + stderr })
    })
  })

interface Drill {
  readonly site: Site
  readonly primary: Postgres
  readonly stack: Stack
  /** The log lines of both processes, which a collector keeps elsewhere. */
  readonly lines: readonly string[]
}

async function openDrill(): Promise<Drill> {
  const site = await openSite()
  onTestFinished(site.remove)
  const primary = await startPostgres({ dataDir: join(site.folder, 'primary'), settings: site.settings })
  onTestFinished(primary.stop)
  const lines: string[] = []
  const stack = await startStack({
    databaseUrl: primary.url,
    mockRailsSettings: { mtn: { autoApproveAfterMs: 0 } },
    log: (_source, line) => void lines.push(line),
  })
  onTestFinished(() => stack.stop())
  return { site, primary, stack, lines }
}

/** The demo merchant, who tries no request again. */
async function openShop({ baseUrl, clientId, privateKeyFile, mockRails, webhook }: Stack) {
  const privateKey = await readFile(privateKeyFile, 'utf8')
  const payments = createMerchantPayments({ baseUrl, clientId, privateKey, maxRetries: 0 })
  const rail = mockRails.pushRail
  const create = async ({ rail: type = rail, customer }: { rail?: string; customer?: string } = {}) => {
    const terms = { amount: AMOUNT, currency: 'XAF', payment_method_types: [type] } as const
    return (await payments.paymentIntents.create({ ...terms, ...(customer !== undefined && { customer }) }))
      .id
  }
  const confirm = async (id: string, msisdn: string) => {
    await payments.paymentIntents.confirm(id, { payment_method_data: { [rail]: { msisdn } } })
    return id
  }
  /** Ids of the events of this type that the merchant's endpoint got for the object. */
  const received = (id: string, type = 'payment_intent.succeeded') => {
    const events = webhook?.receiver.received().map(({ body }) => JSON.parse(body) as Event) ?? []
    return events
      .filter((event) => event.type === type && event.data.object.id === id)
      .map((event) => event.id)
  }
  const untilPaid = (ids: readonly string[]) =>
    expect.poll(() => ids.filter((id) => received(id).length === 0)).toEqual([])
  return {
    payments,
    create,
    confirm,
    /** Opens the page of the redirect rail, where the payer pays. */
    openPage: (id: string) =>
      payments.paymentIntents.confirm(id, {
        payment_method_data: { [mockRails.redirectRail]: {} },
        return_url: 'https://shop.example/back',
      }),
    received,
    untilPaid,
    pay: async (msisdn = APPROVES) => confirm(await create(), msisdn),
    refund: (id: string, amount: number) =>
      payments.refunds.create({ payment_intent: id, amount, destination: { [rail]: { msisdn: APPROVES } } }),
    newestEvent: async () => (await payments.events.list({ limit: 1 }).page()).data[0]?.id ?? '',
  }
}
type Shop = Awaited<ReturnType<typeof openShop>>

interface Event {
  readonly id: string
  readonly type: string
  readonly data: { readonly object: { readonly id: string } }
}

const untilIdle = (url: string, expected: Record<string, number> = {}) =>
  expect.poll(() => countPending(url), { interval: 100 }).toEqual(expected)

const referenceOf = async (url: string, intentId: string): Promise<string> => {
  const uuid = intentId.replace('pi_', '')
  const rows = await runStatement<{ reference: string }>(
    url,
    `select reference from charges where payment_intent_id = '${uuid}'`,
  )
  return rows[0]?.reference ?? ''
}

/** A payment whose webhook failed once and is due in an hour. */
async function payUndelivered(
  { primary, stack }: Pick<Drill, 'primary' | 'stack'>,
  shop: Shop,
): Promise<string> {
  stack.webhook?.receiver.program([], { status: 500 })
  const id = await shop.pay()
  await shop.untilPaid([id])
  await untilIdle(primary.url, { 'live charges': 2, deliveries: 1 })
  stack.webhook?.receiver.program([])
  await dueIn(primary.url, '1 hour')
  return id
}

const dueIn = (url: string, interval: string) =>
  runStatement(url, `update delivery_jobs set due_at = now() + interval '${interval}', lease_until = null`)

/** A refund that its rail did not get, because it gave no token. The worker, which would send it, is stopped. */
async function refundUnsent({ stack }: Drill, shop: Shop, paid: string): Promise<string> {
  const { control } = stack.mockRails
  await stack.worker.stop()
  await control.clearFaults()
  await control.addFault({ operation: 'token', kind: 'http', status: 503, times: 100 })
  await control.revokeTokens()
  const { id } = await shop.refund(paid, 300)
  await control.clearFaults()
  return id
}

/** A payment on the redirect rail that is noted between the rail's answer and the commit of its token. */
async function submitOnPage({ primary, stack }: Drill, shop: Shop) {
  const id = await shop.create({ rail: stack.mockRails.redirectRail })
  await stack.mockRails.control.addFault({
    operation: 'orange_submit',
    kind: 'delay',
    when: 'after',
    delayMs: ANSWER_MS,
  })
  const opened = shop.openPage(id)
  await expect.poll(() => referenceOf(primary.url, id)).not.toBe('')
  const reference = await referenceOf(primary.url, id)
  await expect.poll(async () => (await stack.mockRails.control.findCharge(reference))?.state).toBeDefined()
  return { id, reference, opened }
}

/** What happens before the time to which the database is restored. */
async function before(drill: Drill, shop: Shop) {
  const { site, primary, stack } = drill
  const paid = [await shop.pay(), await shop.pay()]
  const duringCopy: Promise<string>[] = []
  const copy = copyBase(primary, site)
  for (let n = 0; n < 3; n += 1) duringCopy.push(shop.pay())
  const base = await copy
  paid.push(...(await Promise.all(duringCopy)), await shop.pay())
  await shop.untilPaid(paid)
  const refund = await shop.refund(paid[0] ?? '', 500)
  const waiting = { paidBeforeLoss: await shop.pay(WAITS), paidAfterRestore: await shop.pay(WAITS) }
  const unpaid = await shop.create()
  const customer = (await shop.payments.customers.create({ name: 'Ada' })).id
  const ofCustomer = await shop.confirm(await shop.create({ customer }), APPROVES)
  await shop.untilPaid([ofCustomer])
  await untilIdle(primary.url, { 'live charges': 2 })
  const undelivered = await payUndelivered({ primary, stack }, shop)
  // The rail takes this refund only after the noted time.
  await stack.mockRails.control.addFault({ operation: 'transfer', kind: 'http', status: 503, times: 100 })
  const unsettled = await shop.refund(paid[2] ?? '', 900)
  await untilIdle(primary.url, { 'live charges': 2, 'sent refunds': 1, deliveries: 1 })
  const unsent = await refundUnsent(drill, shop, ofCustomer)
  const onPage = await submitOnPage(drill, shop)
  const [now] = await runStatement<{ time: string }>(primary.url, 'select clock_timestamp()::text as time')
  expect(await countPending(primary.url)).toMatchObject({ 'submitting charges': 1, 'unsent refunds': 1 })
  return {
    base,
    time: now?.time ?? '',
    paid,
    refund: refund.id,
    unsettled: unsettled.id,
    undelivered,
    waiting,
    unpaid,
    customer,
    unsent,
    onPage,
  }
}
type Before = Awaited<ReturnType<typeof before>>

/** What happens after that time, and is lost with the database. */
async function after({ primary, stack }: Drill, shop: Shop, then: Before) {
  const { time, paid, waiting, unpaid, onPage } = then
  const { control } = stack.mockRails
  await control.clearFaults()
  await onPage.opened
  await control.approveCharge(onPage.reference)
  await stack.worker.restart()
  await pullPayoutsForward(primary.url)
  await dueIn(primary.url, '0')
  await control.approveCharge(await referenceOf(primary.url, waiting.paidBeforeLoss))
  await shop.confirm(unpaid, APPROVES)
  const created = await shop.pay()
  await shop.untilPaid([waiting.paidBeforeLoss, unpaid, created, onPage.id])
  const refund = await shop.refund(paid[1] ?? '', 700)
  await untilIdle(primary.url, { 'live charges': 1 })
  await shop.payments.customers.del(then.customer)
  await untilIdle(primary.url, { 'live charges': 1 })
  const charges = [await referenceOf(primary.url, unpaid), await referenceOf(primary.url, created)]
  const stillWaiting = await referenceOf(primary.url, waiting.paidAfterRestore)
  const references = await exported(primary.url, time)
  for (const reference of [...charges, onPage.reference]) expect(references).toContain(reference)
  return { created, refund: refund.id, charges, references, stillWaiting, cursor: await shop.newestEvent() }
}
type After = Awaited<ReturnType<typeof after>>

async function lose({ primary, stack }: Drill): Promise<void> {
  await archiveAll(primary)
  for (const child of [stack.api, stack.worker]) {
    child.kill('SIGKILL')
    await child.exited
  }
  await primary.stop()
}

/** The statement of the rail's operator, from the mock's own ledger. */
async function statementOf({ mockRails }: Stack): Promise<string> {
  const { debits, credits } = await mockRails.control.getLedger()
  const rails = { mtn: mockRails.pushRail, orange: mockRails.redirectRail }
  const line = (kind: string) => (moved: (typeof debits)[number]) =>
    [rails[moved.rail], kind, moved.reference, moved.amount, moved.currency].join(',')
  return [
    'rail,kind,reference,amount,currency',
    ...debits.map(line('charge')),
    ...credits.map(line('payout')),
  ].join('\n')
}

interface FindingRow {
  readonly rail: string
  readonly kind: string
  readonly reference: string
  readonly object: string
}

/** A statement of docs/operations.md, "Restore". */
async function documented(statement: RegExp): Promise<string> {
  const page = await readFile(new URL('../../docs/operations.md', import.meta.url), 'utf8')
  const [found] = statement.exec(page) ?? []
  if (found === undefined) throw new Error(`docs/operations.md has no ${statement.source}`)
  return found
}

/** The list by which a person decides. */
const findings = async (url: string): Promise<FindingRow[]> =>
  runStatement(url, await documented(/^select rail, kind, reference, answer[^;]*from rail_findings[^;]*/m))

/** The references that the lost database still knew, as a statement. */
async function exported(url: string, time: string): Promise<string> {
  const select = await documented(/(?<=^copy \()[^;]*(?=\) to stdout with \(format csv, header\);$)/m)
  const rows = await runStatement<Record<string, string | number>>(
    url,
    select.replaceAll('2026-11-23 00:15:00+00', time),
  )
  return [Object.keys(rows[0] ?? {}), ...rows.map((row) => Object.values(row))]
    .map((cells) => cells.join(','))
    .join('\n')
}

/** Finds what the rail did after the restored time, before any process of the service runs again. */
async function reconcile(drill: Drill, restored: Postgres, appUrl: string, lost: After & Before) {
  const { site, stack, lines } = drill
  const env = { ...stack.env, DATABASE_URL: appUrl }
  const [log, statement] = [join(site.folder, 'service.log'), join(site.folder, 'statement.csv')]
  await writeFile(log, lines.join('\n'))
  await writeFile(statement, await statementOf(stack))
  const old = join(site.folder, 'old-database.csv')
  await writeFile(old, lost.references)
  const write = ['--write', '--operator', 'amina', '--reason', 'Restored after the loss of the disk.']

  const dry = await run(reconcileRails, [stack.configFile, log], env)
  expect(dry).toMatchObject({ code: 0, output: expect.stringContaining('This was a dry run') as unknown })
  expect(await findings(restored.url)).toEqual([])

  const written = await run(reconcileRails, [stack.configFile, log, ...write], env)
  expect(written).toMatchObject({
    code: 0,
    output: expect.stringMatching(/3 asked about, 3 recorded\n/) as unknown,
  })
  const found = { answer: 'succeeded', merchant_id: stack.clientId, currency: 'XAF' }
  const charge = { ...found, kind: 'charge', amount: String(AMOUNT) }
  const [unpaid, created] = lost.charges
  const all = await findings(restored.url)
  const byObject = new Map(all.map((row) => [row.object, row]))
  expect(byObject.get(lost.unpaid)).toMatchObject({
    ...charge,
    reference: unpaid,
    intent: 'requires_payment_method',
  })
  expect(byObject.get(lost.created)).toMatchObject({ ...charge, reference: created, intent: null })
  expect(byObject.get(lost.refund)).toMatchObject({ ...found, kind: 'payout', amount: '700', intent: null })
  expect(all).toHaveLength(3)

  const asked = await statusQueries(stack)
  const again = await run(reconcileRails, [stack.configFile, log, statement, old, ...write], env)
  // The statement lists the payment on the redirect rail, which answers for no reference alone.
  expect(again).toMatchObject({
    code: 0,
    output: expect.stringMatching(/3 recorded before, 0 asked about, 1 recorded\n/) as unknown,
  })
  expect(await statusQueries(stack)).toBe(asked)
  const [onPage, ...others] = (await findings(restored.url)).toReversed()
  expect(onPage).toMatchObject({ kind: 'charge', answer: 'unasked', reference: lost.onPage.reference })
  expect(others).toHaveLength(all.length)
  return { onPage, strays: all }
}

/** What says of itself that its rail was not reached is held, and nothing runs before. */
async function holdAll({ stack }: Drill, restored: Postgres, appUrl: string, { onPage, unsent }: Before) {
  const env = { ...stack.env, DATABASE_URL: appUrl }
  const unheld = /the database was restored, and has 1 charges and 1 payouts .*: run "restore:hold"/
  const refused = (code: number) => ({ code, output: expect.stringMatching(unheld) as unknown })
  const [verified, reconciled] = await Promise.all([
    run(restoreVerify, [], { DATABASE_URL: restored.url }),
    run(reconcileRails, [stack.configFile, '/dev/null', '--allow-empty'], env),
    expect(stack.worker.restart({ DATABASE_URL: appUrl })).rejects.toThrow(unheld),
  ])
  expect([verified, reconciled]).toMatchObject([refused(1), refused(78)])
  const held = await run(restoreHold, [], { DATABASE_URL: appUrl })
  expect(held).toMatchObject({
    code: 0,
    output: expect.stringMatching(/\nHeld charges: 1, payouts: 1\.\n$/) as unknown,
  })
  expect(held.output).toContain(`${stack.mockRails.redirectRail} ${onPage.reference}, ch_`)
  expect(held.output).toContain(`, ${unsent} of ${stack.clientId}: held\n`)
}

/** The payer has paid on a page that the database does not know: a person rules so, and nobody pays again. */
async function ruleOnPage(
  { stack }: Drill,
  restored: Postgres,
  shop: Shop,
  { id, reference }: Before['onPage'],
) {
  await expect(shop.openPage(id)).rejects.toMatchObject({ status: 409 })
  await runStatement(
    restored.url,
    `select from charges c, ops_resolve_charge('ch_' || replace(c.id::text, '-', ''), 'succeeded', 'Statement', 'amina', 'OM-4711')
      where c.rail = '${stack.mockRails.redirectRail}' and c.reference = '${reference}'`,
  )
  await expect.poll(async () => (await shop.payments.paymentIntents.retrieve(id)).status).toBe('succeeded')
}

/** A person has decided about each finding. */
async function decide({ stack }: Drill, restored: Postgres, appUrl: string, found: readonly FindingRow[]) {
  const env = { ...stack.env, DATABASE_URL: appUrl }
  const by = ['--operator', 'amina', '--reason', 'Returned by the operator.']
  const close = ({ rail, kind, reference }: FindingRow) =>
    run(findingClose, [stack.configFile, rail, kind, reference, ...by], env)
  for (const closed of await Promise.all(found.map(close))) {
    expect(closed).toMatchObject({
      code: 0,
      output: expect.stringMatching(/: closed, recorded as au_\w+\nThe audit log's head is \d+:/) as unknown,
    })
  }
  expect(await findings(restored.url)).toEqual([])
}

const statusQueries = async ({ mockRails }: Stack): Promise<number> =>
  (await mockRails.control.listCalls({ limit: 2_000 })).filter(({ operation }) =>
    operation.endsWith('status'),
  ).length

function countsOf(movements: readonly { readonly reference: string }[]): number[] {
  return [...Map.groupBy(movements, ({ reference }) => reference).values()].map(({ length }) => length)
}

/** Every movement of money is a payment of the restored database or a finding, once. */
async function expectBooksAgree(
  { stack }: Drill,
  url: string,
  found: readonly { readonly reference: string }[],
) {
  const { debits, credits } = await stack.mockRails.control.getLedger()
  expect(new Set([...countsOf(debits), ...countsOf(credits)])).toEqual(new Set([1]))
  const stray = new Set(found.map(({ reference }) => reference))
  const own = <T extends { readonly reference: string }>(all: readonly T[]) =>
    all.filter(({ reference }) => !stray.has(reference))
  expect(debits.length + credits.length - own(debits).length - own(credits).length).toBe(found.length)
  const evidence = {
    databaseUrl: url,
    debits: own(debits),
    credits: own(credits),
    journal: [],
    received: null,
    endpoints: 1,
  }
  expect(await findViolations(evidence)).toEqual([])
}

test('a database restored to a point in time settles what its rails did since, and the rest is found and doubles nothing', {
  timeout: DRILL_MS,
}, async () => {
  const drill = await openDrill()
  const { stack, site, primary } = drill
  const shop = await openShop(stack)
  const then = await before(drill, shop)
  const lost = { ...then, ...(await after(drill, shop, then)) }
  const [oldEvent] = shop.received(then.waiting.paidBeforeLoss)
  await lose(drill)

  const restored = await restoreTo(primary, site, then)
  onTestFinished(restored.stop)
  const verified = await run(restoreVerify, [], { DATABASE_URL: restored.url })
  expect(verified).toMatchObject({ code: 0, output: expect.stringMatching(/^OK: /) as unknown })
  expect(verified.output).toContain('The worker will ask about charges: 3, payouts: 2.\n')
  expect(verified.output).toContain('To hold with "restore:hold": charges: 1, payouts: 1.\n')
  const appUrl = new URL(stack.env['DATABASE_URL'] ?? '')
  appUrl.port = String(restored.port)
  const tooEarly = await run(restoreHold, [], { DATABASE_URL: appUrl.href })
  expect(tooEarly).toMatchObject({
    code: 2,
    output: expect.stringMatching(/^the server pauses at its restored time: /) as unknown,
  })
  await resume(restored)

  await holdAll(drill, restored, appUrl.href, then)
  const { onPage, strays: found } = await reconcile(drill, restored, appUrl.href, lost)

  const env = { DATABASE_URL: appUrl.href }
  await dueIn(restored.url, '0')
  await pullPayoutsForward(restored.url)
  await stack.api.restart(env)
  await shop.payments.customers.del(then.customer)
  await stack.worker.restart(env)
  await ruleOnPage(drill, restored, shop, then.onPage)
  await stack.mockRails.control.approveCharge(lost.stillWaiting)
  await shop.untilPaid([then.waiting.paidAfterRestore])
  await untilIdle(restored.url)

  // Paid after the restored time: settled again, so the merchant gets a second event of the same payment.
  const events = new Set(shop.received(then.waiting.paidBeforeLoss))
  expect(events.size).toBe(2)
  expect(events).toContain(oldEvent)
  // Delivered after the restored time: sent again, as the same event.
  const attempts = shop.received(then.undelivered)
  expect([attempts.length, new Set(attempts).size]).toEqual([3, 1])
  const statuses = await Promise.all(
    [...then.paid, then.undelivered, ...Object.values(then.waiting), then.onPage.id, then.unpaid].map((id) =>
      shop.payments.paymentIntents.retrieve(id),
    ),
  )
  expect(statuses.map(({ status }) => status)).toEqual([
    ...Array.from({ length: then.paid.length + 4 }, () => 'succeeded'),
    'requires_payment_method',
  ])
  // Delivered before the restored time: not sent again.
  expect(then.paid.map((id) => shop.received(id).length)).toEqual(then.paid.map(() => 1))
  await expect(shop.payments.paymentIntents.retrieve(lost.created)).rejects.toMatchObject({ status: 404 })
  await expect(shop.payments.refunds.retrieve(lost.refund)).rejects.toMatchObject({ status: 404 })
  expect(await shop.payments.refunds.retrieve(then.refund)).toMatchObject({ status: 'pending', amount: 500 })
  expect(await shop.payments.refunds.retrieve(then.unsettled)).toMatchObject({
    status: 'pending',
    amount: 900,
  })
  expect(await shop.payments.refunds.retrieve(then.unsent)).toMatchObject({ status: 'pending', amount: 300 })

  // A cursor from the lost time is older than all events: the poller reads them again, and misses none.
  const { events: list } = shop.payments
  const all = await list.list().toArray({ limit: 100 })
  const read = await list.list({ ending_before: lost.cursor }).toArray({ limit: 100 })
  expect(read.map(({ id }) => id)).toEqual(all.map(({ id }) => id).toReversed())
  expect((await list.list({ starting_after: lost.cursor }).page()).data).toEqual([])

  await expectBooksAgree(drill, restored.url, found)
  await decide(drill, restored, appUrl.href, onPage === undefined ? found : [onPage, ...found])
  expect(await run(restoreVerify, [], { DATABASE_URL: restored.url })).toMatchObject({ code: 0 })
  expect(await runStatement(restored.url, `select count(*)::integer as entries from audit_entries`)).toEqual([
    { entries: 2 * (found.length + 1) },
  ])
})
