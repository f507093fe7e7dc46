import type { Bench } from '../bench.ts'
import type { Connection } from '../load/connection.ts'
import { expectStatus, type Merchant } from '../load/merchant.ts'

/** Spec 8: limits of one object's metadata. */
const METADATA_KEYS_MAX = 50
const METADATA_KEY_CHARS_MAX = 40
const METADATA_VALUE_CHARS_MAX = 500
/** Spec 8: the lines of one invoice. */
const LINES_MAX = 250

const CONNECTIONS = 16

const metadata = Array.from({ length: METADATA_KEYS_MAX }, (_, n) => {
  const key = String(n).padStart(METADATA_KEY_CHARS_MAX, 'k')
  return `metadata[${key}]=${'v'.repeat(METADATA_VALUE_CHARS_MAX)}`
}).join('&')

/**
 * Makes invoices of the largest size that the service allows: each customer's invoice gets lines until one is
 * refused.
 */
export async function makeBigInvoices(bench: Bench, neighbour: Merchant): Promise<void> {
  const { plan, counted } = bench
  const connections = await neighbour.connect(CONNECTIONS)
  const post = async (on: Connection, path: string, form: string) => {
    const reply = await on.exchange(neighbour.post(path, form))
    return { ...reply, id: (JSON.parse(reply.body) as { id?: string }).id ?? '' }
  }
  const [first] = connections as [Connection]
  const customer = await post(first, '/v1/customers', 'name=Awa')
  expectStatus(customer, 200)
  counted.neighbour.customers += 1
  let left = plan.neighbourInvoices
  await Promise.all(
    connections.map(async (connection) => {
      while (left > 0) {
        left -= 1
        const invoice = await post(connection, '/v1/invoices', `currency=XAF&customer=${customer.id}`)
        expectStatus(invoice, 200)
        counted.neighbour.invoices += 1
        for (let line = 0; line < Math.min(LINES_MAX, plan.neighbourLines); line += 1) {
          const form = `invoice=${invoice.id}&amount=10&${metadata}`
          const item = await post(connection, '/v1/invoice_items', form)
          if (item.status >= 400 && item.status < 500) break
          expectStatus(item, 200)
          counted.neighbour.items += 1
        }
      }
    }),
  )
  for (const connection of connections) connection.close()
}
