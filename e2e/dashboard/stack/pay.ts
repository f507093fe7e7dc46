import type { Stack } from '@merchant-payments/stack'
import type { World } from './world.ts'

interface Wanted {
  readonly amount: number
  /** Its ending decides what the mock rail does (tools/mock-rails/README.md). */
  readonly msisdn: string
}

/** Lets a payer begin to pay. @returns the payment's id */
export async function pay(
  { mockRails }: Stack,
  { payments }: World,
  { amount, msisdn }: Wanted,
): Promise<string> {
  const rail = mockRails.pushRail
  const { id } = await payments.paymentIntents.create({
    amount,
    currency: 'XAF',
    payment_method_types: [rail],
  })
  await payments.paymentIntents.confirm(id, { payment_method_data: { [rail]: { msisdn } } })
  return id
}
