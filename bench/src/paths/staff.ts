import { readFile } from 'node:fs/promises'
import type { Bench } from '../bench.ts'
import { nowMs } from '../clock.ts'
import { type Figure, figureOf } from '../figure.ts'
import { type Connection, openConnections, requestOf } from '../load/connection.ts'
import { median, percentile } from '../rounds.ts'
import { INSTANT_RAIL } from '../system/deployment.ts'
import type { StaffLedger } from '../system/staff-ledger.ts'

const MEDIAN_MAX_MS = 100
const P99_MAX_MS = 300
/** Sums a day of money from the ledger, so it has no target. */
const REPORT = 'finance_summary'
const MINUTE_SEC = 60
const HOUR_SEC = 3_600
const DAY_SEC = 86_400

/** A read of the staff's surface: a path of GET, or the text of a search. */
interface Read {
  readonly group: string
  readonly path: string
  readonly text?: string
}

type Query = Readonly<Record<string, string>>

interface Surface {
  readonly get: (path: string) => Promise<Answer>
  readonly lookUp: (text: string) => Promise<Answer>
}

interface Answer {
  readonly status: number
  readonly body: string
}

/**
 * Reads what the dashboard can ask for: every list with each value of each filter, from both ends and from its middle, of all
 * merchants, of a large and of a small one; totals, single objects, analytics, sums of money and searches. Each group's figures
 * are the median of its slowest read, and the 99th percentile of all its reads.
 */
export async function measureStaff(bench: Bench, ledger: StaffLedger): Promise<Figure[]> {
  const [connection] = await openConnections([bench.system.apiPort], 1)
  if (connection === undefined) throw new Error('no connection')
  const surface = await signedIn(connection, bench, ledger)
  const { payer } = JSON.parse((await surface.lookUp(ledger.sample.msisdn)).body) as { payer: string }
  const reads = [...(await listReads(ledger, payer)), ...otherReads(ledger)]
  const waits = new Map<string, { readonly slowest: readonly number[]; readonly all: readonly number[] }>()
  let refused = 0
  for (const read of reads) {
    const { waitsMs, isRefused } = await measureRead(surface, read, bench.plan.staffSamples)
    if (isRefused) refused += 1
    const { slowest, all } = waits.get(read.group) ?? { slowest: waitsMs, all: [] }
    waits.set(read.group, {
      slowest: median(waitsMs) > median(slowest) ? waitsMs : slowest,
      all: [...all, ...waitsMs],
    })
  }
  console.error(`${reads.length} reads, of which ${refused} were asked for a shorter time`)
  connection.close()
  return [...waits].flatMap(([group, { slowest, all }]) => {
    const hasTarget = group !== REPORT
    return [
      figureOf({
        name: `staff: ${group}, slowest read`,
        unit: 'ms',
        ours: slowest,
        target: hasTarget ? { max: MEDIAN_MAX_MS } : null,
      }),
      figureOf({
        name: `staff: ${group}, 99th percentile`,
        unit: 'ms',
        ours: [percentile(all, 0.99)],
        target: hasTarget ? { max: P99_MAX_MS } : null,
      }),
    ]
  })
}

interface MeasuredRead {
  readonly waitsMs: readonly number[]
  readonly isRefused: boolean
}

async function measureRead(surface: Surface, { path, text }: Read, samples: number): Promise<MeasuredRead> {
  const waitsMs: number[] = []
  const name = text === undefined ? path : `${path} ${text}`
  let isRefused = false
  for (let n = 0; n < samples; n += 1) {
    const atMs = nowMs()
    const { status, body } = await (text === undefined ? surface.get(path) : surface.lookUp(text))
    waitsMs.push(nowMs() - atMs)
    // A search that ends after a bounded number of rows asks for a shorter time.
    isRefused = status === 400 && /shorter|one merchant/.test(body)
    if (status !== 200 && !isRefused) throw new Error(`${name} got ${status}: ${body}`)
  }
  if (median(waitsMs) > MEDIAN_MAX_MS || percentile(waitsMs, 0.99) > P99_MAX_MS)
    console.error(`${name}: ${waitsMs.map((ms) => ms.toFixed(0)).join(' ')} ms`)
  return { waitsMs, isRefused }
}

async function signedIn(connection: Connection, bench: Bench, { session }: StaffLedger): Promise<Surface> {
  const origin = bench.system.baseUrl
  const cookie = `__Host-staff_session=${session}`
  const get: Surface['get'] = (path) =>
    connection.exchange(requestOf('GET', `/dash/v1${path}`, { Cookie: cookie }))
  const { status, body } = await get('/me')
  if (status !== 200) throw new Error(`staff got ${status}: ${body}`)
  const { csrf_token: token } = JSON.parse(body) as { csrf_token: string }
  const headers = {
    Cookie: cookie,
    Origin: origin,
    'CSRF-Token': token,
    'Content-Type': 'application/x-www-form-urlencoded',
  }
  return {
    get,
    lookUp: (text) =>
      connection.exchange(
        requestOf('POST', '/dash/v1/lookup', headers, new URLSearchParams({ q: text }).toString()),
      ),
  }
}

interface Parameter {
  readonly name: string
  readonly schema?: { readonly enum?: readonly string[] }
}

interface Document {
  readonly paths: Readonly<Record<string, { readonly get?: { readonly parameters?: readonly Parameter[] } }>>
}

const documentFile = new URL('../../../packages/contract/openapi/dash.json', import.meta.url)
/** Parameters of a page that are no filters, and those that each query varies. */
const PAGE = [
  'id',
  'limit',
  'starting_after',
  'ending_before',
  'order',
  'created',
  'merchant',
  'size',
  'zone',
]

/** Each list of the contract with each value of each of its filters. */
async function listReads(ledger: StaffLedger, payer: string): Promise<Read[]> {
  const { paths } = JSON.parse(await readFile(documentFile, 'utf8')) as Document
  return Object.entries(paths).flatMap(([path, { get }]) => {
    const parameters = get?.parameters ?? []
    const names = parameters.map(({ name }) => name)
    const isTotal = path.includes('/totals/')
    if (!names.includes('merchant') || !(names.includes('order') || isTotal)) return []
    const group = path.replace('/dash/v1/', '')
    const filters = parameters
      .filter(({ name }) => !PAGE.includes(name))
      .flatMap((parameter) => queriesOf(parameter, ledger, payer))
    const cursor = cursorOf(group, ledger)
    const orders: Query[] = isTotal
      ? [{ 'created[gte]': daysAgo(ledger, 1) }]
      : [{}, { order: 'oldest' }, ...(cursor === null ? [] : [{ starting_after: cursor }])]
    const merchants: Query[] = [{}, ...ledger.merchants.map((merchant) => ({ merchant }))]
    return [{}, ...filters].flatMap((filter) =>
      orders.flatMap((order) =>
        merchants.map((merchant) => ({
          group,
          path: `/${group}?${new URLSearchParams({ ...order, ...filter, ...merchant }).toString()}`,
        })),
      ),
    )
  })
}

/** @throws for a parameter whose values are not known here, so that a new filter is measured too */
function queriesOf({ name, schema }: Parameter, { sample, untilSec }: StaffLedger, payer: string): Query[] {
  if (schema?.enum !== undefined) return schema.enum.map((value) => ({ [name]: value }))
  const known: Readonly<Record<string, Query>> = {
    rail: { rail: INSTANT_RAIL },
    payer: { payer },
    customer: { customer: sample.customer },
    payment_intent: { payment_intent: sample.intent },
    event: { event: sample.event },
    endpoint: { endpoint: 'main' },
    metadata: { metadata: sample.order },
    amount: { amount: '25000', 'created[gte]': String(untilSec - 10 * MINUTE_SEC) },
    actor: { actor: 'bench' },
    assignee: { assignee: 'bench' },
    target: { target: sample.intent },
  }
  const query = known[name]
  if (query === undefined) throw new Error(`the bench has no value for the filter ${name} of staff`)
  return [query]
}

/** An object from the middle of a list's time. Null for lists that are short, as the inbox is. */
const cursorOf = (list: string, { sample }: StaffLedger): string | null =>
  ({
    payment_intents: sample.intent,
    charges: sample.charge,
    refunds: sample.refund,
    customers: sample.customer,
    invoices: sample.invoice,
    events: sample.event,
    deliveries: sample.delivery,
  })[list] ?? null

const daysAgo = ({ untilSec }: StaffLedger, days: number) => String(untilSec - days * DAY_SEC)

function otherReads(ledger: StaffLedger): Read[] {
  const { sample, merchants, untilSec } = ledger
  const [large = '', small = ''] = merchants
  const lists = ['payment_intents', 'charges', 'refunds', 'customers', 'invoices', 'events', 'deliveries']
  const spans = [
    ['5m', HOUR_SEC * 6],
    ['hour', DAY_SEC * 7],
    ['day', DAY_SEC * 30],
  ] as const
  const ofEach = ['', `&merchant=${large}`, `&merchant=${small}`]
  const unknown = sample.intent.replace(/.{8}$/, 'ffffffff')
  return [
    { group: 'overview', path: '/overview' },
    { group: 'rails', path: '/rails' },
    { group: 'rails', path: `/rails/${INSTANT_RAIL}` },
    { group: 'rails', path: '/rail_health' },
    ...lists.flatMap((list) =>
      ofEach.map((merchant) => ({
        group: 'a day of a list',
        path: `/${list}?created[gte]=${daysAgo(ledger, 8)}&created[lt]=${daysAgo(ledger, 7)}${merchant}`,
      })),
    ),
    ...[
      `/payment_intents/${sample.intent}`,
      `/customers/${sample.customer}`,
      `/customers/${sample.customer}/activity`,
      `/events/${sample.event}`,
      `/deliveries/${sample.delivery}`,
      `/invoices/${sample.invoice}`,
      `/merchant_clients/${large}`,
      `/merchant_clients/${large}/activity`,
      `/merchant_clients/${small}/activity`,
      '/merchant_clients',
    ].map((path) => ({ group: 'one object', path })),
    ...spans.flatMap(([size, seconds]) =>
      ofEach.map((merchant) => ({
        group: 'analytics',
        path: `/analytics?size=${size}&created[gte]=${untilSec - seconds}&created[lt]=${untilSec}${merchant}`,
      })),
    ),
    ...ofEach.map((merchant) => ({
      group: REPORT,
      path: `/finance_summary?created[gte]=${daysAgo(ledger, 2)}&created[lt]=${daysAgo(ledger, 1)}${merchant}`,
    })),
    ...[
      sample.intent,
      sample.charge,
      sample.customer,
      sample.event,
      sample.invoice,
      unknown,
      unknown.replace('pi_', 'evt_'),
      unknown.replace('pi_', 'cs_'),
      sample.reference,
      sample.railTransaction,
      sample.order,
      sample.msisdn,
      sample.msisdn.slice(-4),
      sample.msisdn.slice(4, 8),
      'awa12345@example.com',
      'Awa',
      'Awa N125',
      '25000',
      'no such thing',
    ].map((text) => ({ group: 'search', path: '/lookup', text })),
  ]
}
