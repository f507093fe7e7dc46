import { createTogether, inserting } from '../commit/creates.ts'
import { insertingIntent, type NewIntent } from '../payment-intents/insertions.ts'
import type { Session } from './session.ts'
import { newSessionRow, sessionRows } from './store.ts'

interface NewSession extends NewIntent {
  readonly session: Session<'open'>
}

export const newSessions = createTogether<NewSession>({
  inserts: [insertingIntent, inserting(sessionRows, ({ session }: NewSession) => newSessionRow(session))],
  customerOf: ({ intent }) => intent.customerId,
  namesCustomers: true,
})
