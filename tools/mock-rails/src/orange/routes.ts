import type { FastifyInstance } from 'fastify'
import type { Rails } from '../rails.ts'
import { mount } from '../wire/mount.ts'
import type { WireRoute } from '../wire/mount.ts'
import { readBody } from './payment-body.ts'
import { handleStatus } from './status.ts'
import { handleSubmit } from './submit.ts'
import { handleToken } from './token.ts'

export function registerOrange(app: FastifyInstance, rails: Rails): void {
  for (const route of orangeRoutes(rails)) mount(app, rails, route)
}

function orangeRoutes(rails: Rails): WireRoute[] {
  const post = (url: string, operation: WireRoute['operation'], handle: WireRoute['handle']): WireRoute => ({
    method: 'POST',
    url,
    operation,
    handle,
    readBody,
  })
  const perEnvironment = (['dev', 'cm'] as const).flatMap((environment) => {
    const base = `/orange-money-webpay/${environment}/v1`
    return [
      post(`${base}/webpayment`, 'orange_submit', handleSubmit(rails, environment)),
      post(`${base}/transactionstatus`, 'orange_status', handleStatus(rails, environment)),
    ]
  })
  return [post('/oauth/v3/token', 'orange_token', handleToken(rails)), ...perEnvironment]
}
