import { type Creation, createTogether, inserting } from '../../commit/creates.ts'
import type { Intent } from '../intent.ts'
import { intentRows, newIntentRow } from '../store.ts'

/** A new intent and the request that it answers. */
export interface NewIntent extends Creation {
  readonly intent: Intent<'requires_payment_method'>
}

export const insertingIntent = inserting(intentRows, ({ intent }: NewIntent) => newIntentRow(intent))

/** Creates of intents that arrive together. */
export const newIntents = createTogether<NewIntent>({
  inserts: [insertingIntent],
  customerOf: ({ intent }) => intent.customerId,
  namesCustomers: true,
})
