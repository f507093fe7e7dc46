import { type Creation, createTogether, inserting } from '../commit/creates.ts'
import type { Intent } from './intent.ts'
import { intentRows, newIntentRow } from './store.ts'

export interface NewIntent extends Creation {
  readonly intent: Intent<'requires_payment_method'>
}

export const insertingIntent = inserting(intentRows, ({ intent }: NewIntent) => newIntentRow(intent))

export const newIntents = createTogether<NewIntent>({
  inserts: [insertingIntent],
  customerOf: ({ intent }) => intent.customerId,
  namesCustomers: true,
})
