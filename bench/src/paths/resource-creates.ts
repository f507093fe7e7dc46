import { randomInt, randomUUID } from 'node:crypto'
import type { Bench } from '../bench.ts'
import type { Script } from '../floor/pgbench.ts'
import { createInOne, FLOOR_MERCHANT } from '../floor/scripts.ts'
import { captureStatements } from '../floor/statement.ts'
import type { Connection } from '../load/connection.ts'
import { expectStatus, type Merchant } from '../load/merchant.ts'
import { DESK, INSTANT_RAIL } from '../system/deployment.ts'
import { API_CONNECTIONS, createForm } from './create.ts'
import { pay, untilDelivered } from './payments.ts'
import type { Path } from './resources.ts'

const LINES_MAX = 250
const AMOUNT = 1_000
/** The customers that the API and pgbench name. Their ids end in twelve decimal digits. */
const CUSTOMERS = 1_000
const ID_PREFIX_DASHED = '01900000-0000-7000-8000-'
const ID_PREFIX = ID_PREFIX_DASHED.replaceAll('-', '')
const FIRST_NUMBER = 200_000_000_000

export const sessionForm = `${createForm(INSTANT_RAIL)}&success_url=https://shop.example/thanks`
const invoiceForm = () => `currency=XAF&customer=cus_${ID_PREFIX}${FIRST_NUMBER + randomInt(CUSTOMERS)}`

type PairName = 'customers' | 'sessions' | 'invoices'

export async function createPaths(
  bench: Bench,
  desk: Merchant,
  connections: readonly Connection[],
): Promise<Path[]> {
  const { counted } = bench
  const [connection] = connections as [Connection]
  await seedCustomers(bench)
  const creates: [PairName, string, () => string][] = [
    ['customers', '/v1/customers', () => 'name=Awa&phone=237670000001'],
    ['sessions', '/v1/checkout/sessions', () => sessionForm],
    ['invoices', '/v1/invoices', invoiceForm],
  ]
  const paths: Path[] = []
  for (const [what, path, form] of creates) {
    const send = async (on: Connection) => {
      await post(on, desk, path, form())
      counted[what].desk += 1
    }
    const floor = await floorOfCreate(bench, desk, connection, { what, path, form })
    const countFloor = (done: number) => {
      counted[what].floor += done
    }
    paths.push({ name: `create of ${what}`, send, floor, countFloor })
  }
  return [...paths, itemPath(counted, desk)]
}

interface Create {
  readonly what: PairName
  readonly path: string
  readonly form: () => string
}

async function floorOfCreate(
  { system, counted, pgbench }: Bench,
  desk: Merchant,
  connection: Connection,
  { what, path, form }: Create,
): Promise<Script | null> {
  if (pgbench === null) return null
  let key = ''
  const statements = await captureStatements(system.database, async () => {
    key = randomUUID()
    await post(connection, desk, path, form(), key)
    counted[what].desk += 1
  })
  const statement = statements.find(({ parameters }) => parameters.some((value) => value?.includes(key)))
  if (statement === undefined) throw new Error(`no statement holds the key of a create of ${what}`)
  const picked = { prefix: ID_PREFIX_DASHED, first: FIRST_NUMBER, last: FIRST_NUMBER + CUSTOMERS - 1 }
  return createInOne(statement, { name: `create-${what}`, key, picked })
}

/** Seeds customers for the desk and the floor, so that concurrent requests do not wait for the same row. */
async function seedCustomers({ system, counted }: Bench): Promise<void> {
  await system.database.client.query(
    `insert into customers (merchant_id, id, name, metadata, livemode, last_used_at)
     select m, ($2::text || n::text)::uuid, 'Awa', '{}', false, now()
     from unnest($1::text[]) m, generate_series($3::bigint, $3::bigint + $4 - 1) n`,
    [[DESK, FLOOR_MERCHANT], ID_PREFIX, FIRST_NUMBER, CUSTOMERS],
  )
  counted.seededCustomers += CUSTOMERS
}

/** Each connection adds lines to its own invoice, and starts another when that one is full. */
function itemPath(counted: Bench['counted'], desk: Merchant): Path {
  const drafts = new Map<Connection, { id: string; lines: number }>()
  const send = async (connection: Connection) => {
    let draft = drafts.get(connection)
    if (draft === undefined || draft.lines === LINES_MAX) {
      draft = {
        ...(await post(connection, desk, '/v1/invoices', invoiceForm())),
        lines: 0,
      }
      counted.invoices.desk += 1
      drafts.set(connection, draft)
    }
    await post(connection, desk, '/v1/invoice_items', `invoice=${draft.id}&amount=10`)
    draft.lines += 1
    counted.items += 1
  }
  return { name: 'create of invoice items', send, floor: null, countFloor: () => undefined }
}

/** Each connection refunds its payment one franc at a time. Each refund calls the rail. */
export async function refundPath(bench: Bench): Promise<Path> {
  const { counted, merchant } = bench
  const connections = await merchant.connect(API_CONNECTIONS)
  const intents = await Promise.all(connections.map((connection) => pay(bench, connection, INSTANT_RAIL)))
  await untilDelivered(bench)
  for (const connection of connections) connection.close()
  const amounts = new Map<string, number>()
  const send = async (connection: Connection) => {
    const intent = intents[randomInt(intents.length)] ?? ''
    const paidBack = amounts.get(intent) ?? 0
    if (paidBack >= AMOUNT) return send(connection)
    amounts.set(intent, paidBack + 1)
    const form = `payment_intent=${intent}&amount=1&destination[${INSTANT_RAIL}][msisdn]=237670000001`
    await post(connection, merchant, '/v1/refunds', form)
    counted.refunds += 1
  }
  return { name: 'create of refunds, with their rail', send, floor: null, countFloor: () => undefined }
}

/**
 * Sends a request that makes one row.
 *
 * @returns the answer
 */
export async function post(
  connection: Connection,
  merchant: Merchant,
  path: string,
  form: string,
  key?: string,
): Promise<{ readonly id: string }> {
  const reply = await connection.exchange(merchant.post(path, form, key))
  expectStatus(reply, path === '/v1/refunds' ? 201 : 200)
  return JSON.parse(reply.body) as { id: string }
}
