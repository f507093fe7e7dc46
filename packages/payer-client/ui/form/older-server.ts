import type { BrowserSession } from './types.ts'

const plainLooks = { accent_color: null, logo: null }
const unknownNumbers = { color: null, number_prefixes: [] }

/** While a deployment is upgraded, a server of the version before answers without the newest fields. */
export const completed = (session: BrowserSession): BrowserSession => ({
  ...session,
  merchant: { ...plainLooks, ...session.merchant },
  rails: session.rails.map((rail) => ({ ...unknownNumbers, ...rail })),
})
