import { type ChildProcess, spawn } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import { createMerchantPayments, type MerchantPayments } from '@merchant-payments/node-sdk'
import { runStatement } from '@merchant-payments/testing/client'
import { findViolations, type Movement } from '@merchant-payments/testing/invariants'
import { fetchToken } from '@merchant-payments/testing/token'
import { countPending, pullPayoutsForward } from '@merchant-payments/testing/pending'
import { bundledProgram } from '@merchant-payments/testing/bundled-program'
import { endWithThisProcess } from '@merchant-payments/testing/end-with-this-process'
import { dump, load } from 'js-yaml'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Cell, type Cells, HOSTS, openCells, untilUp } from './cells.ts'
import { INSTALL_MS } from './rules.ts'

const TOOL = bundledProgram('tools/database/src/merchant-move.ts')
const RAIL = 'mtn_momo_cm'
const APPROVES = '+237 6 70 00 00 01'
const AMOUNT = 5_000
const SELLERS = 4
/** Payments of the moving merchant before the move, and after it. */
const PAYMENTS_BEFORE = 12
const PAYMENTS_AFTER = 12
/** It takes 15 s alone. Two cells with their merchants and a busy machine take several times that. */
const TEST_TIMEOUT_MS = 180_000
/** The SDK gives up after ten retries. A shop sends the same request again, under its key. */
const ROUNDS_MAX = 5
const NEIGHBOUR = { id: 'neighbour', publishableKey: 'pk_test_neighbour' }

interface Registration {
  client_id: string
  name: string
  jwks: object
  publishable_key: string
  webhooks: { secrets: unknown[] }[]
}
interface Config {
  merchant_clients: Registration[]
  rails: Record<string, { base_url: string }>
}

const closers: (() => unknown)[] = []
const received: { readonly body: string }[] = []
let cells: Cells
let neighbour: MerchantPayments

const configOf = async ({ stack }: Cell) => load(await readFile(stack.configFile, 'utf8')) as Config

/** The processes read their configuration at their start. */
async function restart({ stack }: Cell, config: Config, secret: string): Promise<void> {
  await writeFile(stack.configFile, dump(config, { noRefs: true }))
  const env = { SHOP_WEBHOOK_SECRET: secret }
  await Promise.all([stack.api.restart(env), stack.worker.restart(env)])
}

/** Another merchant for the first cell; and the moving one, with its operator, for the second. */
async function register(): Promise<void> {
  const { cell_a: a, cell_b: b } = cells
  const secret = a.stack.webhook?.secrets[0] ?? ''
  const configA = await configOf(a)
  const [shop] = configA.merchant_clients
  if (shop === undefined) throw new Error('the first cell has no merchant')
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const key = { ...publicKey.export({ format: 'jwk' }), kid: 'neighbour' }
  configA.merchant_clients.push({
    ...shop,
    client_id: NEIGHBOUR.id,
    name: 'Neighbour',
    jwks: { keys: [key] },
    publishable_key: NEIGHBOUR.publishableKey,
  })
  const configB = await configOf(b)
  const webhooks = shop.webhooks.map((one) => ({ ...one, secrets: [{ env: 'SHOP_WEBHOOK_SECRET' }] }))
  configB.merchant_clients.push({ ...shop, webhooks })
  for (const [name, rail] of Object.entries(configB.rails))
    rail.base_url = configA.rails[name]?.base_url ?? rail.base_url
  await Promise.all([restart(a, configA, secret), restart(b, configB, secret)])
  for (const host of Object.values(HOSTS)) await untilUp(`https://${host}:${cells.port}`)
  await writeFile(
    `${cells.folder}/clients.map`,
    `${await readFile(`${cells.folder}/clients.map`, 'utf8')}${NEIGHBOUR.id} cell_a\n`,
  )
  await cells.tell(`add map ${cells.folder}/clients.map ${NEIGHBOUR.id} cell_a`)
  neighbour = createMerchantPayments({
    baseUrl: cells.everybody,
    clientId: NEIGHBOUR.id,
    privateKey: JSON.stringify({ ...privateKey.export({ format: 'jwk' }), kid: 'neighbour' }),
    maxRetries: 0,
  })
}

beforeAll(async () => {
  cells = await openCells(closers, { onWebhook: (webhook) => received.push(webhook) })
  await register()
}, INSTALL_MS)
afterAll(async () => {
  for (const close of closers.toReversed()) await close()
})

/** A request is sent again, under its key, until it has an answer. */
async function insist<T>(send: () => Promise<T>, roundsMax = ROUNDS_MAX): Promise<T> {
  for (let round = 1; ; round += 1) {
    try {
      return await send()
    } catch (error) {
      const status = error instanceof Error && 'status' in error ? error.status : undefined
      if (status !== 503 || round >= roundsMax) throw error
    }
  }
}

interface Sale {
  readonly intent: string
  readonly refund: string | null
}

async function sell(
  { paymentIntents, refunds }: MerchantPayments,
  order: string,
  roundsMax: number,
): Promise<Sale> {
  const ask = <T>(send: () => Promise<T>) => insist(send, roundsMax)
  const key = (step: string) => ({ idempotencyKey: `${order}-${step}` })
  const wanted = { amount: AMOUNT, currency: 'XAF', payment_method_types: [RAIL] } as const
  const { id } = await ask(() => paymentIntents.create(wanted, key('create')))
  const method = { payment_method_data: { [RAIL]: { msisdn: APPROVES } } }
  await ask(() => paymentIntents.confirm(id, method, key('confirm')))
  while ((await ask(() => paymentIntents.retrieve(id))).status !== 'succeeded') await delay(50)
  if (!order.endsWith('0')) return { intent: id, refund: null }
  const destination = { [RAIL]: { msisdn: APPROVES } }
  const refund = await ask(() => refunds.create({ payment_intent: id, destination }, key('refund')))
  return { intent: id, refund: refund.id }
}

/** A shop: sells until it is closed. */
function openShop(payments: MerchantPayments, name: string, roundsMax = ROUNDS_MAX) {
  const sales: Sale[] = []
  const open = new AbortController()
  let n = 0
  const seller = async () => {
    while (!open.signal.aborted) sales.push(await sell(payments, `${name}-${(n += 1)}`, roundsMax))
  }
  const ended = Promise.all(Array.from({ length: SELLERS }, seller))
  const errors: unknown[] = []
  ended.catch((error: unknown) => errors.push(error))
  return {
    sales,
    errors,
    close: async () => {
      open.abort()
      await ended
    },
  }
}

/** Reads the list of events by its cursor, as a merchant catches up. */
function openReader(payments: MerchantPayments) {
  const seen: string[] = []
  const open = new AbortController()
  const more = async () => {
    const cursor = seen.at(-1)
    const page = await insist(() =>
      payments.events.list({ limit: 100, ...(cursor !== undefined && { ending_before: cursor }) }).page(),
    )
    seen.push(...page.data.map(({ id }) => id).toReversed())
    return page.data.length
  }
  const ended = (async () => {
    while (!open.signal.aborted) if ((await more()) === 0) await delay(20)
  })()
  ended.catch(() => undefined)
  return {
    seen,
    close: async () => {
      open.abort()
      await ended
      while ((await more()) > 0);
    },
  }
}

const tools: ChildProcess[] = []
closers.push(() => tools.forEach((child) => child.kill('SIGKILL')))

function startTool(command: string, ...more: string[]) {
  const { cell_a: a, cell_b: b } = cells
  const names = ['--from', 'cell_a', '--to', 'cell_b', '--operator', 'amina', '--reason', 'A test.']
  const child = endWithThisProcess(
    spawn(process.execPath, [TOOL, command, a.clientId, ...names, ...more], {
      env: { FROM_DATABASE_OWNER_URL: a.databaseUrl, TO_DATABASE_OWNER_URL: b.databaseUrl },
      stdio: ['ignore', 'pipe', 'pipe'],
    }),
  )
  tools.push(child)
  const lines: string[] = []
  createInterface({ input: child.stdout }).on('line', (line) => lines.push(line))
  const ended = Promise.all([once(child, 'close'), text(child.stderr)]).then(([[code], complained]) => ({
    code: code as number | null,
    complained,
  }))
  return { child, lines, ended }
}

async function move(command: string, ...more: string[]): Promise<readonly string[]> {
  const { lines, ended } = startTool(command, ...more)
  expect(await ended).toEqual({ code: 0, complained: '' })
  return lines
}

const query = <T extends object>({ databaseUrl }: Cell, statement: string): Promise<T[]> =>
  runStatement(databaseUrl, statement)

async function untilDrained({ databaseUrl }: Cell): Promise<void> {
  await expect
    .poll(
      async () => {
        await pullPayoutsForward(databaseUrl)
        return countPending(databaseUrl)
      },
      { interval: 500 },
    )
    .toEqual({})
}

/** What the operator's ledger has of the charges or refunds of a cell, and what the receiver has of its events. */
async function evidenceOf(cell: Cell, debits: readonly Movement[], credits: readonly Movement[]) {
  const references = await query<{ reference: string }>(
    cell,
    'select reference from charges union all select reference from refunds',
  )
  const events = await query<{ body: string }>(cell, 'select body from events')
  const [known, written] = [
    new Set(references.map(({ reference }) => reference)),
    new Set(events.map(({ body }) => body)),
  ]
  return {
    databaseUrl: cell.databaseUrl,
    debits: debits.filter(({ reference }) => known.has(reference)),
    credits: credits.filter(({ reference }) => known.has(reference)),
    received: received.filter(({ body }) => written.has(body)),
    journal: [],
    endpoints: 1,
  }
}

/** The old cell's own host: a merchant's request that comes there waits, and a payer's page goes on. */
async function meetOldCell(id: string): Promise<void> {
  const { clientId, privateKeyFile, publishableKey, payments } = cells.cell_a
  const host = `https://${HOSTS.cell_a}:${cells.port}`
  const privateJwk = JSON.parse(await readFile(privateKeyFile, 'utf8'))
  const token = await fetchToken({ tokenUrl: `${cells.everybody}/v1/oauth/token`, clientId, privateJwk })
  for (const path of [`/v1/payment_intents/${id}`, '/v1/events', '/v1/customers/unknown']) {
    const straggler = await fetch(`${host}${path}`, { headers: { authorization: `Bearer ${token}` } })
    expect([path, straggler.status, straggler.headers.get('compat-should-retry')]).toEqual([
      path,
      503,
      'true',
    ])
  }
  const { client_secret: secret } = await payments.paymentIntents.retrieve(id)
  const page = await fetch(`${host}/v1/browser/payment_intents/${id}`, {
    headers: { 'publishable-key': publishableKey, 'client-secret': secret ?? '' },
  })
  expect([page.status, await page.json()]).toMatchObject([200, { id, status: 'succeeded' }])
}

describe('a merchant that sells moves to another cell', { timeout: TEST_TIMEOUT_MS }, () => {
  test('no payment is lost, doubled or unanswered, no event is missed, and its neighbour sells on', async () => {
    const { cell_a: a, cell_b: b } = cells
    const shop = openShop(a.payments, 'shop')
    // Sends nothing twice, so that each refusal would end it.
    const other = openShop(neighbour, 'other', 1)
    const reader = openReader(a.payments)
    await expect.poll(() => shop.sales.length).toBeGreaterThanOrEqual(PAYMENTS_BEFORE)
    await expect.poll(() => [other.errors, other.sales.length > 0]).toEqual([[], true])

    // A move whose copy is killed ends where it began.
    await move('drain')
    const killed = startTool('copy')
    await expect.poll(() => killed.lines.length).toBeGreaterThan(0)
    killed.child.kill('SIGKILL')
    await killed.ended
    await move('abandon')
    const sold = shop.sales.length
    await expect.poll(() => shop.sales.length).toBeGreaterThan(sold + SELLERS)

    const othersBefore = other.sales.length
    const lines = await move(
      'run',
      '--maps',
      cells.folder,
      '--socket',
      cells.adminSocket,
      '--publishable-key',
      a.publishableKey,
    )
    expect(lines).toContainEqual(expect.stringMatching(/^OK: \d+ rows are the same in both cells\.$/))
    expect([shop.errors, other.errors]).toEqual([[], []])
    expect(other.sales.length).toBeGreaterThan(othersBefore)
    await meetOldCell(shop.sales[0]?.intent ?? '')
    const atSwitch = shop.sales.length
    await expect.poll(() => shop.sales.length).toBeGreaterThanOrEqual(atSwitch + PAYMENTS_AFTER)
    await Promise.all([shop.close(), other.close()])
    // The rows that are left in the old cell are no work of its worker.
    await move('forget', '--after-hours', '0')
    await Promise.all([untilDrained(a), untilDrained(b)])
    await reader.close()

    // By the cursor: each event once, in the order of the positions, which have no gap.
    const events = await query<{ id: string; position: string }>(
      b,
      `select 'evt_' || replace(id::text, '-', '') as id, position from events
        where merchant_id = '${a.clientId}' order by position`,
    )
    expect(reader.seen).toEqual(events.map(({ id }) => id))
    expect(events.map(({ position }) => Number(position))).toEqual(events.map((_, n) => n + 1))

    // The rail has debited each sale once.
    const { debits, credits, debitsDropped } = await a.stack.mockRails.control.getLedger()
    expect(debitsDropped).toBe(0)
    const paid = await query<{ id: string; reference: string }>(
      b,
      `select 'pi_' || replace(payment_intent_id::text, '-', '') as id, reference from charges where status = 'succeeded'`,
    )
    expect(paid.map(({ id }) => id).toSorted()).toEqual(shop.sales.map(({ intent }) => intent).toSorted())
    for (const { reference } of paid)
      expect(debits.filter((debit) => debit.reference === reference)).toHaveLength(1)
    expect(debits).toHaveLength(shop.sales.length + other.sales.length)
    expect(credits).toHaveLength(
      [...shop.sales, ...other.sales].filter(({ refund }) => refund !== null).length,
    )

    const ofA = await evidenceOf(a, debits, credits)
    const ofB = await evidenceOf(b, debits, credits)
    expect(await findViolations(ofA)).toEqual([])
    expect(await findViolations(ofB)).toEqual([])
    expect(ofA.debits.length + ofB.debits.length).toBe(debits.length)
    expect(new Set(received.map(({ body }) => body)).size).toBe(
      new Set([...ofA.received, ...ofB.received].map(({ body }) => body)).size,
    )
  })
})
