/** Paths below /dash. A test compares them with the router's. */
const screens = [
  '/',
  '/payments',
  '/payments/{id}',
  '/stuck-charges',
  '/refunds',
  '/approvals',
  '/deliveries',
  '/deliveries/{id}',
  '/fanouts',
  '/customers',
  '/customers/{id}',
  '/invoices',
  '/invoices/{id}',
  '/merchants',
  '/rails',
  '/audit-log',
] as const

/** The paths at which the API serves the document. It answers any other path as an unknown route. */
export const documentPaths: readonly string[] = ['/dash', ...screens.map((path) => `/dash${path}`)]
