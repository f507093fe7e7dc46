import {
  createExport,
  getAnalytics,
  getFinanceSummary,
  listRailHealth,
  type MerchantId,
} from '@merchant-payments/core'
import { goneOf } from '../../http/gone.ts'
import { type HandlerDeps, handlers } from '../handlers.ts'

const merchantOf = (merchant: string | undefined) => (merchant ?? null) as MerchantId | null

export const finance = (deps: HandlerDeps) =>
  handlers({
    createExport: ({ by, body, logged }) =>
      logged(
        createExport(deps, by, {
          of: body.of,
          format: body.format,
          created: body.created,
          zone: body.zone,
          merchantId: merchantOf(body.merchant),
          rail: body.rail ?? null,
        }),
      ),
    retrieveAnalytics: ({ query }) =>
      getAnalytics(deps, {
        size: query.size,
        created: query.created,
        zone: query.zone,
        merchantId: merchantOf(query.merchant),
        rail: query.rail ?? null,
      }),
    listRailHealth: () => listRailHealth(deps),
    retrieveFinanceSummary: ({ query, reply }) =>
      getFinanceSummary(
        deps,
        { created: query.created, zone: query.zone, merchantId: merchantOf(query.merchant) },
        goneOf(reply),
      ),
  })
