import {
  accountHolderQuery,
  confirmIntentInBrowser,
  type Operation,
  Refusal,
  retrieveAccountHolderInBrowser,
  retrieveIntentInBrowser,
  retrieveSessionInBrowser,
} from '@merchant-payments/contract'
import {
  accessBySecret,
  accessIntent,
  type Answer,
  confirmFromBrowser,
  type Credentials,
  type Deps,
  findPayersAccountHolder,
  getBrowserIntent,
  getBrowserSession,
  settleRefusal,
} from '@merchant-payments/core'
import type { FastifyRequest } from 'fastify'
import { claimOf } from '../http/idempotency-key.ts'
import { parseForm } from '../http/form-body.ts'
import { formOf, parseBody, parseParams } from '../http/params.ts'
import { queryOf } from '../http/path-table.ts'
import type { Lookups } from '../lookups.ts'

/** A route: its declaration and what runs behind it. A secret gives one intent or session, and nothing else. */
export interface BrowserRoute {
  readonly operation: Operation
  readonly serve: (request: FastifyRequest, credentials: Credentials) => Promise<Answer>
}

export interface BrowserDeps extends Deps {
  readonly lookups: Lookups
}

/** Spec 1.6: exactly one is not a GET. */
export const browserRoutes = (deps: BrowserDeps): BrowserRoute[] => [
  {
    operation: retrieveIntentInBrowser,
    serve: async (request, credentials) => shown(await getBrowserIntent(deps, credentials, idOf(request))),
  },
  {
    operation: retrieveSessionInBrowser,
    serve: async (request, credentials) => shown(await getBrowserSession(deps, credentials, idOf(request))),
  },
  { operation: confirmIntentInBrowser, serve: (request, credentials) => confirm(deps, request, credentials) },
  ...(deps.deployment.payersMayLookUp ? [lookUpRoute(deps)] : []),
]

const lookUpRoute = (deps: BrowserDeps): BrowserRoute => ({
  operation: retrieveAccountHolderInBrowser,
  serve: async (request, credentials) => {
    const access = await accessBySecret(deps, credentials)
    const query = parseParams(accountHolderQuery, parseForm(queryOf(request.url)))
    const { payment_method_type: paymentMethodType, msisdn } = query
    const { takeForPayment } = deps.lookups
    return shown(await findPayersAccountHolder(deps, access, { paymentMethodType, msisdn }, takeForPayment))
  },
})

async function confirm(deps: Deps, request: FastifyRequest, credentials: Credentials): Promise<Answer> {
  const access = await accessIntent(deps, credentials, idOf(request))
  const bytes = formOf(request)
  // Its own namespace of keys, so that a payer can spend neither the merchant's nor another payer's.
  const scope = `browser:${access.intent.id}` as const
  const claim = claimOf(request, { merchantId: access.merchant.id, scope }, bytes)
  const body = parseBody(confirmIntentInBrowser.body, bytes)
  if (body instanceof Refusal) return settleRefusal(deps.db, claim, body, deps.clock())
  return confirmFromBrowser(deps, access, claim, {
    paymentMethodData: body.payment_method_data,
    returnUrl: body.return_url,
    locale: body.locale ?? null,
  })
}

/** Never a query parameter, which logs keep. */
export const credentialsOf = ({ headers }: FastifyRequest): Credentials => ({
  publishableKey: textOf(headers['publishable-key']),
  clientSecret: textOf(headers['client-secret']),
})

const textOf = (header: string | string[] | undefined): string => (typeof header === 'string' ? header : '')

const idOf = ({ params }: FastifyRequest): string => (params as { id: string }).id

const shown = (body: object): Answer => ({
  status: 200,
  body: JSON.stringify(body),
  shouldRetry: null,
  replayed: false,
})
