/** Below /dash; the router has each of them, and a test compares the two. */
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

/** Where the one document is served: a path that is none of them is an unknown route, for the API to refuse. */
export const documentPaths: readonly string[] = ['/dash', ...screens.map((path) => `/dash${path}`)]
