/** Paths below /dash. A test compares them with the router's. */
const screens = [
  '/',
  '/attention',
  '/payments',
  '/payments/{id}',
  '/charges',
  '/refunds',
  '/approvals',
  '/deliveries',
  '/deliveries/{id}',
  '/events',
  '/events/{id}',
  '/fanouts',
  '/customers',
  '/customers/{id}',
  '/invoices',
  '/invoices/{id}',
  '/merchants',
  '/analytics',
  '/finance',
  '/reconciliation',
  '/reconciliation/{id}',
  '/merchants/{id}',
  '/rails',
  '/rails/{id}',
  '/bulk-jobs',
  '/audit-log',
] as const

/** The paths of the dashboard's screens. At any other path below /dash, the document says that there is no such page. */
export const documentPaths: readonly string[] = ['/dash', ...screens.map((path) => `/dash${path}`)]
