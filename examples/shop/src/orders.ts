import { randomUUID } from 'node:crypto'

export interface Order {
  /** Must not be guessable, because its holder may pay. */
  readonly id: string
  readonly amount: number
  /** The checkout session, once it exists. */
  session: OrderSession | null
  isPaid: boolean
}

interface OrderSession {
  readonly paymentIntent: string
  /** The page on which the payer pays: the service's or this shop's. */
  readonly payUrl: string
  /** For the payer's own page only; null if the service's page is used. */
  readonly clientSecret: string | null
}

/** This example forgets its oldest orders; a real shop has a database. */
const ORDERS_MAX = 1_000

export function createOrders() {
  const orders = new Map<string, Order>()
  return {
    find: (id: string): Order | undefined => orders.get(id),
    create(amount: number): Order {
      const order = { id: randomUUID(), amount, session: null, isPaid: false }
      orders.set(order.id, order)
      const [oldest] = orders.keys()
      if (orders.size > ORDERS_MAX && oldest !== undefined) orders.delete(oldest)
      return order
    },
    /** Marks the order as paid. Only a webhook calls it. It is idempotent, because webhooks repeat. */
    settle(paymentIntent: string): void {
      const order = [...orders.values()].find(({ session }) => session?.paymentIntent === paymentIntent)
      if (order !== undefined) order.isPaid = true
    },
  }
}

export type Orders = ReturnType<typeof createOrders>
