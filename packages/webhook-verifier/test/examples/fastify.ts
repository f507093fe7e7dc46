import { webhookPlugin } from '@merchant-payments/webhook-verifier/fastify'
import fastify from 'fastify'

const secrets = (process.env.PAYMENTS_WEBHOOK_SECRET ?? '').split(',')
export const app = fastify()

app.register(webhookPlugin, {
  path: '/webhooks',
  secrets,
  onEvent: (event) => console.log(event.id, event.type),
})

await app.listen({ port: Number(process.env.PORT ?? 3000) })
