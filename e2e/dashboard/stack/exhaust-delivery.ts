import type { Stack } from '@merchant-payments/stack'
import { until, type World } from './world.ts'

/** Minutes from the start that pass each delay of the ladder (spec 6.3.5). */
const minutesAhead = [0.5, 2, 6, 20, 120, 600, 2_400]

/**
 * Lets the webhook of a new customer fail until its ladder ends.
 *
 * @returns the customer's id, which the event's body contains
 */
export async function exhaustDelivery({ webhook, worker }: Stack, { payments }: World): Promise<string> {
  if (webhook === null) throw new Error('this needs an endpoint')
  const { receiver } = webhook
  receiver.program([], { status: 500 })
  const { id } = await payments.customers.create({ name: 'Marthe Ngo' })
  const posted = () => receiver.received().filter(({ body }) => body.includes(id)).length
  await until(async () => posted() === 1)
  for (const [index, minutes] of minutesAhead.entries()) {
    await worker.restart({ CLOCK_OFFSET_MS: String(minutes * 60_000) })
    await until(async () => posted() === index + 2)
  }
  receiver.program([])
  await worker.restart()
  return id
}
