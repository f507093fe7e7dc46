import type { Bench } from '../bench.ts'
import type { Script } from '../floor/pgbench.ts'
import { again } from '../floor/scripts.ts'
import { captureStatements } from '../floor/statement.ts'
import type { Connection } from '../load/connection.ts'
import { expectStatus, type Merchant } from '../load/merchant.ts'
import { DESK } from '../system/deployment.ts'
import { post, sessionForm } from './resource-creates.ts'
import type { Path } from './resources.ts'

const LINES_READ = 3
const LISTED = 200

export async function readPaths(
  bench: Bench,
  desk: Merchant,
  connections: readonly Connection[],
): Promise<Path[]> {
  const { counted } = bench
  const [connection] = connections as [Connection]
  const { id: customer } = await post(connection, desk, '/v1/customers', 'name=Ada')
  counted.customers.desk += 1
  const invoices: string[] = []
  for (let n = 0; n < LISTED; n += 1) {
    invoices.push((await post(connection, desk, '/v1/invoices', `currency=XAF&customer=${customer}`)).id)
    counted.invoices.desk += 1
  }
  const invoice = invoices[LISTED / 2] ?? ''
  for (let n = 0; n < LINES_READ; n += 1) {
    await post(connection, desk, '/v1/invoice_items', `invoice=${invoice}&amount=10`)
    counted.items += 1
  }
  const { id: session } = await post(connection, desk, '/v1/checkout/sessions', sessionForm)
  counted.sessions.desk += 1
  const reads: [string, string][] = [
    ['retrieve of a customer', `/v1/customers/${customer}`],
    ['retrieve of a session', `/v1/checkout/sessions/${session}`],
    ['retrieve of an invoice of three lines', `/v1/invoices/${invoice}`],
    ['list of sessions', '/v1/checkout/sessions'],
    [
      'list of invoices of a customer and a status',
      `/v1/invoices?customer=${customer}&status=draft&limit=10`,
    ],
    ['list of events', '/v1/events'],
    ['list of events of a type', '/v1/events?type=invoice.created'],
  ]
  const paths: Path[] = []
  for (const [name, path] of reads) {
    const send = async (on: Connection) => expectStatus(await on.exchange(desk.get(path)), 200)
    paths.push({
      name,
      send,
      floor: await floorOfRead(bench, name, () => send(connection)),
      countFloor: () => undefined,
    })
  }
  return paths
}

async function floorOfRead(
  { system, pgbench }: Bench,
  name: string,
  send: () => Promise<void>,
): Promise<Script | null> {
  if (pgbench === null) return null
  const statements = await captureStatements(system.database, send)
  const statement = statements.find(({ parameters }) => parameters.includes(DESK))
  if (statement === undefined) throw new Error(`no statement of the ${name} names its merchant`)
  return again(name.replaceAll(' ', '-'), statement)
}
