import { createTogether, inserting } from '../../commit/creates.ts'
import { insertingIntent, type NewIntent } from '../../payment-intents/insertions/store.ts'
import type { Session } from '../session.ts'
import { newSessionRow, sessionRows } from '../store.ts'

/** A new session with the new intent that it pays, and the request that it answers. */
export interface NewSession extends NewIntent {
  readonly session: Session<'open'>
}

/** Creates of sessions that arrive together, and make their intents. */
export const newSessions = createTogether<NewSession>({
  inserts: [insertingIntent, inserting(sessionRows, ({ session }: NewSession) => newSessionRow(session))],
  customerOf: ({ intent }) => intent.customerId,
  namesCustomers: true,
})
