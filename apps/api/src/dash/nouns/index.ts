import type { DashHandlers, HandlerDeps } from '../handlers.ts'
import { attention } from './attention.ts'
import { audit } from './audit.ts'
import { bulkJobs } from './bulk-jobs.ts'
import { charges } from './charges.ts'
import { customers } from './customers.ts'
import { deliveries } from './deliveries.ts'
import { deployment } from './deployment.ts'
import { finance } from './finance.ts'
import { invoices } from './invoices.ts'
import { lookup } from './lookup.ts'
import { me } from './me.ts'
import { overview } from './overview.ts'
import { paymentIntents } from './payment-intents.ts'
import { savedViews } from './saved-views.ts'
import { refunds } from './refunds.ts'
import { statements } from './statements.ts'

export const handlersOf = (deps: HandlerDeps): DashHandlers => ({
  ...me(deps),
  ...overview(deps),
  ...attention(deps),
  ...bulkJobs(deps),
  ...lookup(deps),
  ...paymentIntents(deps),
  ...charges(deps),
  ...refunds(deps),
  ...savedViews(deps),
  ...deliveries(deps),
  ...customers(deps),
  ...invoices(deps),
  ...deployment(deps),
  ...audit(deps),
  ...finance(deps),
  ...statements(deps),
})
