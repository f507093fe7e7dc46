import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  type RouterHistory,
} from '@tanstack/react-router'
import { parseSearch, readAddress, writeAddress } from './search.ts'
import { NoSuchScreen } from './ui/no-such-screen.tsx'
import { Root } from './ui/root.tsx'
import { ScreenFault } from './ui/screen-fault.tsx'

const root = createRootRoute({ component: Root, validateSearch: parseSearch })
const at = <const Path extends string>(path: Path) => ({ getParentRoute: () => root, path }) as const

/** The router loads each screen's script when its link is first hovered or followed. */
const tree = root.addChildren([
  createRoute({
    ...at('/'),
    component: lazyRouteComponent(() => import('./screens/overview.tsx'), 'OverviewScreen'),
  }),
  createRoute({
    ...at('/attention'),
    component: lazyRouteComponent(() => import('./screens/attention.tsx'), 'AttentionScreen'),
  }),
  createRoute({
    ...at('/payments'),
    component: lazyRouteComponent(() => import('./screens/payments.tsx'), 'PaymentsScreen'),
  }),
  createRoute({
    ...at('/payments/$id'),
    component: lazyRouteComponent(() => import('./screens/payment.tsx'), 'PaymentScreen'),
  }),
  createRoute({
    ...at('/charges'),
    component: lazyRouteComponent(() => import('./screens/charges.tsx'), 'ChargesScreen'),
  }),
  createRoute({
    ...at('/refunds'),
    component: lazyRouteComponent(() => import('./screens/refunds.tsx'), 'RefundsScreen'),
  }),
  createRoute({
    ...at('/approvals'),
    component: lazyRouteComponent(() => import('./screens/approvals.tsx'), 'ApprovalsScreen'),
  }),
  createRoute({
    ...at('/deliveries'),
    component: lazyRouteComponent(() => import('./screens/deliveries.tsx'), 'DeliveriesScreen'),
  }),
  createRoute({
    ...at('/deliveries/$id'),
    component: lazyRouteComponent(() => import('./screens/delivery.tsx'), 'DeliveryScreen'),
  }),
  createRoute({
    ...at('/events'),
    component: lazyRouteComponent(() => import('./screens/events.tsx'), 'EventsScreen'),
  }),
  createRoute({
    ...at('/events/$id'),
    component: lazyRouteComponent(() => import('./screens/event.tsx'), 'EventScreen'),
  }),
  createRoute({
    ...at('/fanouts'),
    component: lazyRouteComponent(() => import('./screens/fanouts.tsx'), 'FanoutsScreen'),
  }),
  createRoute({
    ...at('/customers'),
    component: lazyRouteComponent(() => import('./screens/customers.tsx'), 'CustomersScreen'),
  }),
  createRoute({
    ...at('/customers/$id'),
    component: lazyRouteComponent(() => import('./screens/customer.tsx'), 'CustomerScreen'),
  }),
  createRoute({
    ...at('/invoices'),
    component: lazyRouteComponent(() => import('./screens/invoices.tsx'), 'InvoicesScreen'),
  }),
  createRoute({
    ...at('/invoices/$id'),
    component: lazyRouteComponent(() => import('./screens/invoice.tsx'), 'InvoiceScreen'),
  }),
  createRoute({
    ...at('/merchants'),
    component: lazyRouteComponent(() => import('./screens/merchants.tsx'), 'MerchantsScreen'),
  }),
  createRoute({
    ...at('/merchants/$id'),
    component: lazyRouteComponent(() => import('./screens/merchant.tsx'), 'MerchantScreen'),
  }),
  createRoute({
    ...at('/rails'),
    component: lazyRouteComponent(() => import('./screens/rails.tsx'), 'RailsScreen'),
  }),
  createRoute({
    ...at('/rails/$id'),
    component: lazyRouteComponent(() => import('./screens/rail.tsx'), 'RailScreen'),
  }),
  createRoute({
    ...at('/analytics'),
    component: lazyRouteComponent(() => import('./screens/analytics.tsx'), 'AnalyticsScreen'),
  }),
  createRoute({
    ...at('/finance'),
    component: lazyRouteComponent(() => import('./screens/finance.tsx'), 'FinanceScreen'),
  }),
  createRoute({
    ...at('/reconciliation'),
    component: lazyRouteComponent(() => import('./screens/reconciliation.tsx'), 'ReconciliationScreen'),
  }),
  createRoute({
    ...at('/reconciliation/$id'),
    component: lazyRouteComponent(() => import('./screens/statement.tsx'), 'StatementScreen'),
  }),
  createRoute({
    ...at('/bulk-jobs'),
    component: lazyRouteComponent(() => import('./screens/bulk-jobs.tsx'), 'BulkJobsScreen'),
  }),
  createRoute({
    ...at('/audit-log'),
    component: lazyRouteComponent(() => import('./screens/audit-log.tsx'), 'AuditLogScreen'),
  }),
])

export const createDashboardRouter = (history?: RouterHistory) =>
  createRouter({
    routeTree: tree,
    basepath: '/dash',
    parseSearch: readAddress,
    stringifySearch: writeAddress,
    defaultPreload: 'intent',
    scrollRestoration: true,
    defaultNotFoundComponent: NoSuchScreen,
    defaultErrorComponent: ScreenFault,
    ...(history && { history }),
  })

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createDashboardRouter>
  }
}
