import { randomUUID } from 'node:crypto'

export interface Order {
  /** Not to be guessed: whoever has it may pay. */
  readonly id: string
  readonly amount: number
  /** The checkout session, once there is one. */
  session: OrderSession | null
  isPaid: boolean
}

interface OrderSession {
  readonly paymentIntent: string
  /** Where the payer goes next: a page of the service, or of this shop. */
  readonly payUrl: string
  /** For the payer's own page alone; null where the service's page is used. */
  readonly clientSecret: string | null
}

/** A demonstration forgets its oldest orders; a shop has a database. */
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
    /** What settles an order, and nothing else does. Doing it twice is doing it once: webhooks repeat. */
    settle(paymentIntent: string): void {
      const order = [...orders.values()].find(({ session }) => session?.paymentIntent === paymentIntent)
      if (order !== undefined) order.isPaid = true
    },
  }
}

export type Orders = ReturnType<typeof createOrders>
