import { documents } from '@merchant-payments/contract/openapi'
import scalar from '@scalar/fastify-api-reference'
import type { FastifyInstance } from 'fastify'
import { sendJson } from './http/errors.ts'

/** Beside the surfaces, which have no route that needs no credential: what they are, for people and for generators. */
export function registerReference(app: FastifyInstance, { staff }: { staff: boolean }): void {
  const shown = Object.entries(documents).filter(([name]) => staff || name !== 'dash')
  const sources = shown.map(([name, document]) => {
    const url = `/openapi/${name}.json`
    const text = JSON.stringify(document())
    app.get(url, (_request, reply) => sendJson(reply, 200, text))
    return { url, title: name, slug: name, agent: { disabled: true } }
  })
  void app.register(scalar, {
    routePrefix: '/reference',
    // To read: what tries a request here knows no private_key_jwt, and nothing may be sent elsewhere.
    configuration: {
      pageTitle: 'Merchant Payments API',
      sources,
      withDefaultFonts: false,
      telemetry: false,
      showDeveloperTools: 'never',
      hideTestRequestButton: true,
      hideClientButton: true,
      mcp: { disabled: true },
    },
  })
}
